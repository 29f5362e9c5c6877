/** Bulk commands, over the API of a real Reeve whose agent refuses every call. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CliEnvironment } from '#cli/environment.ts';
import {
  body,
  orderIdOf,
  type Scenario as Reeve,
  scenario as reeveScenario,
} from '../http/scenario.ts';
import { at, nobodyThere, order, scenario, terminal } from './scenario.ts';

const soon = { now: () => Date.now(), sleep: async () => {} };

async function failed(reeve: Reeve, count: number): Promise<string[]> {
  reeve.refuse(true);
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await orderIdOf(await reeve.submit()));
  for (const id of ids) await reeve.reaches(id, 'Error');
  reeve.refuse(false);
  await nextMillisecond();
  return ids;
}

/** An order that changes in the millisecond of the listing may have changed after it, and is not selected. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
}

/** The command line for that Reeve; `allowed`: the number of resubmits that reach it. */
function spoken(
  reeve: Reeve,
  changes: Partial<CliEnvironment> = {},
  allowed = Number.POSITIVE_INFINITY,
) {
  const asked: string[] = [];
  const fetch: CliEnvironment['fetch'] = async (url, init) => {
    const { pathname } = new URL(url);
    if (init.method === 'POST' && asked.push(pathname) > allowed) return nobodyThere(url, init);
    return reeve.app.request(url.replace('http://127.0.0.1:4400', ''), init);
  };
  return { ...scenario({ ...soon, fetch, ...changes }), asked };
}

const resubmits = async ({ reeve }: Reeve, ids: readonly string[]) => {
  const listed = await reeve.store.list({ processState: null, limit: 200, cursor: null });
  const known = new Map(listed.items.map((record) => [String(record.orderId), record]));
  return ids.map(
    (id) => known.get(id)?.history.filter(({ type }) => type === 'resubmit').length ?? 0,
  );
};

test('without --yes the command prints the number, the faults and the command to run, and changes nothing', async () => {
  const reeve = await reeveScenario();
  const ids = await failed(reeve, 3);
  const { run, asked } = spoken(reeve);
  const { exitCode, stdout } = await run('resubmit --agent cook --since 2h');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^ORDERS {2}WORKFLOW {2}STATE {2}STEP {2}FAULT\n {5}3 {2}dinner {4}Error {2}cook {2}burnt\n/,
  );
  expect(stdout).toMatch(
    /To resubmit 3 orders:\n {2}reeve resubmit --state Error --agent cook --since 20\S+Z --before 20\S+Z --yes\n$/,
  );
  expect(asked).toEqual([]);
  expect(await resubmits(reeve, ids)).toEqual([0, 0, 0]);
});

test('1,000 failed orders, interrupted half-way: the same command continues, and resubmits none twice', async () => {
  const reeve = await reeveScenario();
  const ids = await failed(reeve, 1_000);
  const first = spoken(reeve, terminal, 500);
  const shown = await first.run('resubmit --state Error');
  const command = /reeve (resubmit .*--yes)/.exec(shown.stdout)?.[1] ?? '';
  const interrupted = await first.run(command);
  expect(interrupted.exitCode).toBe(4);
  expect(interrupted.stdout).toContain('500 of 1,000');
  expect(interrupted.stdout).toContain('500 failed');

  // Some of them fail again; these later failures are not resubmitted.
  reeve.refuse(true);
  const again = spoken(reeve);
  const { exitCode, stdout } = await again.run(command);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('500 orders resubmitted');
  expect(again.asked).toHaveLength(500);
  expect((await again.run(command)).stdout).toContain('0 orders resubmitted');

  const asked = [...first.asked.slice(0, 500), ...again.asked].map((path) => path.split('/')[2]);
  expect(asked.toSorted()).toEqual(ids.toSorted());
});

test('an order that has changed since it was seen is refused, and reported', async () => {
  const reeve = await reeveScenario();
  const [id = ''] = await failed(reeve, 2);
  let isFirst = true;
  const { run } = spoken(reeve, {
    fetch: async (url, init) => {
      // Another operator cancels it between the listing and the resubmit.
      if (init.method === 'POST' && isFirst) {
        isFirst = false;
        await reeve.post(`/orders/${id}/cancel`);
      }
      return reeve.app.request(url.replace('http://127.0.0.1:4400', ''), init);
    },
  });
  const { exitCode, stdout } = await run('resubmit --state Error --yes');
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`${id}  refused: The order has changed since`);
  expect(stdout).toContain('1 order resubmitted, 1 refused');
});

test('--json prints one line per order', async () => {
  const reeve = await reeveScenario();
  const ids = await failed(reeve, 2);
  const { run } = spoken(reeve);
  const looked = JSON.parse((await run('cancel --state Error --json')).stdout);
  expect(looked.orders).toHaveLength(2);
  const { stdout } = await run('cancel --state Error --yes --json');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ orderId }) => orderId).toSorted()).toEqual(ids.toSorted());
  expect(lines.every(({ kind }) => kind === 'done')).toBe(true);
});

test.each([
  ['cancel', /Name an order, .*: --workflow NAME selects every order of a workflow/],
  ['cancel --yes', /Name an order, .*: --workflow NAME selects every order of a workflow/],
  ['reprioritise --priority high', /Name an order, .*: --held selects every order that waits/],
  [
    'reprioritise --priority high --yes',
    /Name an order, .*: --held selects every order that waits/,
  ],
  ['resubmit', /Name an order, .*: --state Error selects every order in Error/],
  ['resubmit --yes', /Name an order, .*: --state Error selects every order in Error/],
  [
    'resubmit --state Processed',
    /Only orders in Error can be resubmitted, not those in the state Processed/,
  ],
  ['resubmit --state pending --yes', /not those in the state Pending/],
  ['resubmit o-1 --agent cook', /one order, or options that select orders/],
  ['cancel o-1 --submitted-before 1h', /one order, or options that select orders/],
  ['resubmit --state Error --submitted-before 1h', /unknown option '--submitted-before'/],
  ['list --since yesterday', /Give a duration/],
])('%s is wrong usage with a reason', async (line, message) => {
  const { run } = scenario();
  const { exitCode, stderr } = await run(line);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
});

test('the command for the next page has the same filters, though time has passed', async () => {
  const reeve = await reeveScenario();
  const ids = await failed(reeve, 2);
  let nowMs = Date.now();
  const { run } = spoken(reeve, { now: () => (nowMs += 1_000) });
  const { stdout } = await run('list --limit 1 --since 2h');
  const next = await run(/reeve (list .*)/.exec(stdout)?.[1] ?? '');
  expect(next).toMatchObject({ exitCode: 0, stderr: '' });
  expect(stdout + next.stdout).toMatch(new RegExp(ids.toReversed().join('[^]*')));
});

test('an end in the future is now, so that the same command never selects what changes after it', async () => {
  const { app, run, requests } = scenario();
  const listed = order({ processState: 'Error' });
  app.get('/orders', (c) => c.json({ orders: [listed], cursor: null, asOf: at(0) }));
  const given = [at(1), at(-1), '2099-01-01'];
  for (const before of given) {
    requests.length = 0;
    const { stdout } = await run(`resubmit --state Error --before ${before}`);
    const end = before === at(-1) ? before : at(0);
    expect(stdout).toContain(`reeve resubmit --state Error --before ${end} --yes`);
    const [, ...pages] = requests.map(({ url }) => new URL(url).searchParams.get('before'));
    expect(pages).toEqual([end]);
  }
});

test('an empty selection is not an error', async () => {
  const { run } = spoken(await reeveScenario());
  expect(await run('resubmit --state Error')).toEqual({
    exitCode: 0,
    stdout: 'No orders.\n',
    stderr: '',
  });
});

test.each(
  ['cancel', 'reprioritise --priority high'].flatMap((command) =>
    [
      ['--held --tenant bulk', 'tenant=bulk&held=true'],
      ['--held', 'held=true'],
      ['--agent cook --held', 'agent=cook&held=true'],
      ['--tenant bulk', 'tenant=bulk'],
      ['--workflow dinner', 'workflow=dinner'],
      ['--step cook', 'step=cook'],
      ['--fault burnt', 'fault=burnt'],
      ['--correlation-id cart-1', 'correlationId=cart-1'],
      ['--since 2026-01-01T00:00:00Z', 'since=2026-01-01T00%3A00%3A00.000Z'],
    ].map(([options = '', query = '']) => [`${command} ${options}`, query] as const),
  ),
)('%s asks for the orders with %s that have not ended', async (line, query) => {
  const { app, run, requests } = scenario();
  app.get('/orders', (c) => c.json({ orders: [], cursor: null, asOf: at(0) }));
  expect(await run(line)).toEqual({ exitCode: 0, stdout: 'No orders.\n', stderr: '' });
  const [, ...listings] = requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
  const asked = { ...Object.fromEntries(new URLSearchParams(query)), limit: '200' };
  const states = ['Pending', 'Processing', 'Error'];
  expect(listings.slice(0, 3)).toEqual(states.map((state) => ({ ...asked, state })));
  const again = { ...asked, since: at(-2) };
  expect(listings.slice(4)).toEqual(states.map((state) => ({ ...again, state })));
});

test('without --state, the orders that have not ended are selected, of all their states', async () => {
  const reeve = await reeveScenario();
  const submit = async (tenant: string) => orderIdOf(await reeve.submit({ ...body, tenant }));
  const ended = await submit('bulk');
  await reeve.reaches(ended, 'Processed');
  reeve.refuse(true);
  const stopped = await submit('bulk');
  await reeve.reaches(stopped, 'Error');
  const finish = reeve.hold();
  onTestFinished(finish);
  const busy = await submit('bulk');
  const other = await submit('inn');
  for (const id of [busy, other]) await reeve.reaches(id, 'Processing');
  await nextMillisecond();
  const { run, asked } = spoken(reeve);
  const preview = await run('reprioritise --priority high --tenant bulk');
  expect(preview.stdout).toMatch(
    /To reprioritise 2 orders:\n {2}reeve reprioritise --priority high --tenant bulk --submitted-before 20\S+Z --yes\n$/,
  );
  expect((await run('reprioritise --priority high --tenant bulk --yes')).exitCode).toBe(0);
  const paths = (ids: readonly string[]) =>
    ids.map((id) => `/orders/${id}/reprioritise`).toSorted();
  expect(asked.toSorted()).toEqual(paths([stopped, busy]));
});

describe('orders that change while a command selects and asks them', () => {
  /** Before the request of that number for the order, another operator changes it. */
  function changing(reeve: Reeve, id: string, requests: number) {
    let changes = 0;
    return spoken(reeve, {
      fetch: async (url, init) => {
        if (init.method === 'POST' && url.includes(id) && changes < requests) {
          const priority = changes % 2 === 0 ? 'high' : 'low';
          changes += 1;
          await reeve.post(`/orders/${id}/reprioritise`, { priority });
        }
        return reeve.app.request(url.replace('http://127.0.0.1:4400', ''), init);
      },
    });
  }

  async function busy(count: number) {
    const reeve = await reeveScenario();
    onTestFinished(reeve.hold());
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) ids.push(await orderIdOf(await reeve.submit()));
    for (const id of ids) await reeve.reaches(id, 'Processing');
    await nextMillisecond();
    return { reeve, ids };
  }

  test('are asked again when they are still selected, and have one outcome', async () => {
    const { reeve, ids } = await busy(3);
    const { run } = changing(reeve, ids[1] ?? '', 2);
    const { exitCode, stdout } = await run('cancel --workflow dinner --yes --json');
    const lines = stdout.trimEnd().split('\n');
    const outcomes = lines.map((line) => JSON.parse(line));
    expect([exitCode, outcomes.map(({ kind }) => kind)]).toEqual([0, ['done', 'done', 'done']]);
    expect(outcomes.map(({ orderId }) => orderId).toSorted()).toEqual(ids.toSorted());
  });

  test('are refused, and reported, after three requests', async () => {
    const { reeve, ids } = await busy(2);
    const { run } = changing(reeve, ids[1] ?? '', 3);
    const { exitCode, stdout } = await run('cancel --workflow dinner --yes --json');
    const kinds = stdout.trimEnd().split('\n');
    expect(exitCode).toBe(3);
    expect(kinds.map((line) => JSON.parse(line).kind)).toEqual(['done', 'refused']);
    expect(JSON.parse(kinds[1] ?? '')).toMatchObject({ orderId: ids[1] });
  });

  test('are left to a repetition of the command once Reeve does not answer', async () => {
    const { reeve } = await busy(3);
    const { run, asked } = spoken(reeve, {}, 1);
    const { exitCode, stdout } = await run('cancel --workflow dinner --yes');
    expect(exitCode).toBe(4);
    expect(stdout).toContain('1 order cancelled, 2 failed: run it again');
    expect(asked).toHaveLength(3);
  });

  test('do not hide what was done when they cannot be listed', async () => {
    const { reeve } = await busy(2);
    let isDone = false;
    const { run } = spoken(reeve, {
      fetch: async (url, init) => {
        if (init.method === 'POST') isDone = true;
        else if (isDone) return nobodyThere(url, init);
        return reeve.app.request(url.replace('http://127.0.0.1:4400', ''), init);
      },
    });
    const { exitCode, stdout, stderr } = await run('cancel --workflow dinner --yes');
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('2 orders cancelled')]);
    expect(stderr).toContain('ECONNREFUSED');
  });

  test('are found, when they change their state between two listings', async () => {
    const { app, run, requests } = scenario();
    const changed = order({ orderId: 'o-1', submittedAt: at(-60), updatedAt: at(0) });
    const later = order({ orderId: 'o-2', submittedAt: at(0), updatedAt: at(0) });
    app.get('/orders', (c) => {
      const { state, since } = c.req.query();
      const orders = state === 'Pending' && since === at(-2) ? [changed, later] : [];
      return c.json({ orders, cursor: null, asOf: at(0) });
    });
    app.post('/orders/o-1/cancel', (c) => c.json({ orderId: 'o-1', processState: 'Pending' }));
    expect((await run('cancel --workflow w')).stdout).toContain('cancel 1 order:');
    expect((await run('cancel --workflow w --yes')).exitCode).toBe(0);
    const posted = requests.filter(({ method }) => method === 'POST').map(({ url }) => url);
    expect(posted).toEqual([expect.stringContaining('/orders/o-1/cancel')]);
  });
});

test('orders are moved to another class, those that have it already are left out', async () => {
  const reeve = await reeveScenario();
  const [first = '', ...rest] = await failed(reeve, 3);
  await reeve.post(`/orders/${first}/reprioritise`, { priority: 'low' });
  await nextMillisecond();
  const { run, asked } = spoken(reeve);
  const preview = await run('reprioritise --priority low --state Error');
  expect(preview.stdout).toMatch(
    /To reprioritise 2 orders:\n {2}reeve reprioritise --priority low --state Error --before 20\S+Z --yes\n$/,
  );
  expect(asked).toEqual([]);
  const { exitCode, stdout } = await run('reprioritise --priority low --state Error --yes');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('2 orders reprioritised')]);
  expect(asked.toSorted()).toEqual(rest.map((id) => `/orders/${id}/reprioritise`).toSorted());
});

test('one order is moved to another class, which must be one', async () => {
  const reeve = await reeveScenario();
  const [id = ''] = await failed(reeve, 1);
  const { run } = spoken(reeve);
  expect((await run(`reprioritise ${id} --priority HIGH`)).stdout).toContain(id);
  expect((await run(`show ${id}`)).stdout).toContain(
    'priority changed from normal to high by olga',
  );
  expect((await run(`reprioritise ${id}`)).exitCode).toBe(2);
  expect((await run(`reprioritise ${id} --priority urgent`)).exitCode).toBe(2);
});

test.each([
  ['resubmit --state Error', '"7"'],
  ['cancel --state Error', '"7"'],
  // A live order may have progressed since, and gets the priority too.
  ['reprioritise --state Error --priority high', null],
])('%s --yes names the revision that was listed: %s', async (command, revision) => {
  const { app, run, requests } = scenario();
  const listed = order({ orderId: 'o-1', processState: 'Error', revision: 7 });
  app.get('/orders', (c) => c.json({ orders: [listed], cursor: null, asOf: at(0) }));
  app.post('/orders/o-1/:action', (c) => c.json({ orderId: 'o-1', processState: 'Pending' }, 202));
  expect((await run(`${command} --yes`)).exitCode).toBe(0);
  const [sent, ...more] = requests.filter(({ method }) => method === 'POST');
  expect([sent?.headers.get('if-match'), more]).toEqual([revision, []]);
});
