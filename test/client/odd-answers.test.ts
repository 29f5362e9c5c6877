/** The client before servers that answer as Reeve never does, and ones that refuse for now without a time. */
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type ReeveClientOptions, reeveClient } from '#client/reeve-client.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { answeringServer } from '../support/answering-server.ts';

const nothing = z.object({});
const payment = defineAgent({
  ...{ name: 'payment', input: nothing, output: nothing, undo: 'unneeded' },
});
const shop = defineWorkflow({ name: 'shop', version: 1, details: z.object({ cents: z.int() }) })
  .step('charge', { agent: payment, onFault: 'hold', input: () => ({}) })
  .build();

const clientOf = (options: ReeveClientOptions) => reeveClient<{ shop: typeof shop }>(options);
type Client = ReturnType<typeof clientOf>;

const calls: readonly [string, (reeve: Client) => Promise<unknown>][] = [
  ['submit', (reeve) => reeve.submit('shop', { cents: 5 })],
  ['list', (reeve) => reeve.list()],
  ['read', (reeve) => reeve.order('shop', 'o-1').read()],
  ['result', (reeve) => reeve.order('shop', 'o-1').result()],
  ['follow', (reeve) => reeve.order('shop', 'o-1').follow().next()],
  ['resubmit', (reeve) => reeve.order('shop', 'o-1').resubmit({ cents: 7 })],
  ['cancel', (reeve) => reeve.order('shop', 'o-1').cancel()],
  ['submitMany', (reeve) => rejected(reeve.submitMany('shop', [{ details: { cents: 5 } }]))],
];

/** Rejects with the error of the first outcome. */
async function rejected(outcomes: ReturnType<Client['submitMany']>): Promise<void> {
  const [outcome] = await outcomes;
  if (outcome !== undefined && 'error' in outcome) throw outcome.error;
}

const oddAnswers: readonly [string, () => Response][] = [
  ['the page of a proxy', () => new Response('<html>Welcome</html>')],
  ['no text', () => new Response(null, { status: 204 })],
  ['another document', () => Response.json({ status: 'ok' })],
  ['null', () => Response.json(null)],
];

test.each(
  calls.flatMap(([name, call]) =>
    oddAnswers.map(([kind, answer]) => [name, kind, call, answer] as const),
  ),
)('%s: %s with a status of success is an error', async (_, __, call, answer) => {
  const reeve = clientOf({ url: 'http://127.0.0.1:1', fetch: async () => answer() });
  await expect(call(reeve)).rejects.toMatchObject({ name: 'ApiError', code: 'answer-unknown' });
});

test.each(calls)('%s: a redirect is not followed, and is no answer of Reeve', async (_, call) => {
  const { url, received } = await answeringServer((response, request) => {
    // Such as the sign-in of a proxy whose session has ended.
    if (request.url === '/login') response.end('{"orderId":"o-1"}');
    else response.writeHead(302, { location: '/login' }).end();
  });
  await expect(call(clientOf({ url }))).rejects.toMatchObject({
    code: 'answer-unknown',
    status: 302,
    message: expect.stringMatching(/redirect.*is it the right address\?$/),
  });
  expect(received).toHaveLength(1);
});

test.each([400, 404, 409])(
  'a code of a gateway without a title is none of Reeve, with status %i',
  async (status) => {
    const fetch = async () => Response.json({ code: 'NO_ROUTE', message: 'No route' }, { status });
    for (const [, call] of calls) {
      await expect(call(clientOf({ url: 'http://127.0.0.1:1', fetch }))).rejects.toMatchObject({
        ...{ code: 'answer-unknown', status },
        message: expect.stringContaining(`answered ${status}, and not as Reeve does`),
      });
    }
  },
);

test('a redirect that a browser hides has another error than no answer', async () => {
  // Status 0, no text and no headers, as `redirect: 'manual'` gives them in a browser.
  const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
  let sent = 0;
  const fetch = async () => {
    sent += 1;
    return hidden;
  };
  await expect(clientOf({ url: 'http://127.0.0.1:1', fetch }).list()).rejects.toMatchObject({
    code: 'answer-unknown',
    status: null,
    message: expect.stringContaining('redirect'),
  });
  expect(sent).toBe(1);
});

test.each([
  ['0', () => '0'],
  ['a date that has passed', () => new Date(Date.now() - 60_000).toUTCString()],
])('Retry-After %s: the waits are those without one', async (_, retryAfter) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    random.mockRestore();
    vi.useRealTimers();
  });
  const at: number[] = [];
  const fetch = async () => {
    at.push(Date.now());
    const headers = { 'retry-after': retryAfter() };
    return Response.json({ code: 'overloaded', title: 'Too many' }, { status: 503, headers });
  };
  const reeve = clientOf({ url: 'http://127.0.0.1:1', fetch, retryForMs: 15_000 });
  const refused = expect(reeve.submit('shop', { cents: 5 })).rejects.toMatchObject({
    code: 'overloaded',
  });
  await vi.advanceTimersByTimeAsync(15_000);
  await refused;
  const waits = at.slice(1).map((ms, nth) => ms - (at[nth] ?? 0));
  expect(waits.slice(0, 8)).toEqual([100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500]);
});
