/** An action on more orders than one run takes: a further run begins where the one before it ended. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { summary } from '../console/scenario.ts';
import { stage } from './pages.ts';

const on = stage();

/** Orders that one run lists, and one after them. */
const total = 10_001;
const minuteMs = 60_000;

/** The API in place of the server's: of the orders in Error, the first one and the last one can be resubmitted. Its clock goes on by `pass`. */
async function manyOrders(page: Page) {
  const begunMs = Date.now();
  let passedMs = 0;
  const isLast = (at: number) => at === 0 || at === total - 1;
  const orderOf = (at: number) => {
    const news = passedMs > 0 ? { workflow: 'later', revision: 2 } : {};
    const { actions, ...order } = summary(`o${at}`, news);
    return { ...order, actions: { ...actions, resubmit: isLast(at) ? null : 'not-in-error' } };
  };
  await page.route(/\/orders\?/, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const filters = asked.get('since');
    const [ofFilters, place] = (asked.get('cursor') ?? `${filters}~0`).split('~');
    if (ofFilters !== filters) {
      const problem = {
        title: 'Invalid cursor',
        detail: 'It is of others.',
        code: 'cursor-invalid',
      };
      return route.fulfill({ status: 400, json: problem });
    }
    const from = Number(place);
    const to = Math.min(total, from + Number(asked.get('limit')));
    const orders = Array.from({ length: to - from }, (_, at) => orderOf(from + at));
    const cursor = to < total ? `${filters}~${to}` : null;
    const date = new Date(begunMs + passedMs).toUTCString();
    return route.fulfill({ headers: { date }, json: { orders, cursor, asOf: date } });
  });
  await page.route('**/resubmit', (route) =>
    route.fulfill({ status: 202, json: { orderId: '', processState: 'Pending' } }),
  );
  return {
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}

test('it begins there also where orders are filtered by a time, and minutes have passed', async () => {
  const page = await on.open('#/');
  const { pass } = await manyOrders(page);
  await page.goto(`${on.world.url}/#/orders?within=1h`);
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByRole('button', { name: 'Select all that match' }).click();
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Resubmit 1 order', exact: true }).click();
  await dialog.getByText('1 of 1 done').waitFor();
  pass(3 * minuteMs);
  // A change, for which the page loads its list again.
  await on.world.submit('order-fulfilment');
  await page.getByText('later').first().waitFor();
  await dialog.getByRole('button', { name: 'Find the next orders' }).click();
  await dialog.getByRole('button', { name: 'Resubmit 1 order', exact: true }).click();
  await dialog.getByText('1 of 1 done').waitFor();
  expect(await dialog.getByRole('link').allTextContents()).toEqual(['o10000']);
});
