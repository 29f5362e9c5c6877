/** A start on data of which a table or an index is lost: what needs it fails with a code of its own, and each order that cannot go on is named. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { pageLost, rootOf, somewhere } from '../support/stored-data.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;
const pay = defineAgent({ name: 'pay', input: z.int(), output: z.null(), undo: 'unneeded' });
const payment = {
  agent: pay,
  completeWithin: 2 * second,
  onFault: 'hold',
  input: ({ details }: { readonly details: number }) => details,
} as const;
const shop = defineWorkflow({ name: 'shop', version: 1, details: z.int() })
  .step('pay', payment)
  .build();
const desk = defineWorkflow({
  ...{ name: 'desk', version: 1, details: z.int() },
  singleton: { key: (details) => `desk-${details}`, else: 'wait' },
})
  .step('pay', payment)
  .build();

async function started(path: string, perform: () => Promise<null>) {
  const log = testLog();
  const clock = virtualClock();
  const agents = [implementAgent(pay, { perform })];
  const reeve = await startLocalReeve({ workflows: [shop, desk], agents, path, log, clock });
  onTestFinished(reeve.close);
  const damaged = () =>
    log.lines.filter(({ event }) => event === 'store-damaged').map(({ fields }) => fields);
  return { reeve, clock, log, damaged };
}

const never = () => new Promise<null>(() => {});
const done = async () => null;
const declined = async () => {
  throw new PermanentFault('declined', 'No.', 'none');
};

/** Data with one live order, of which that part is lost. */
async function without(part: string) {
  const path = somewhere();
  const { reeve } = await started(path, never);
  const { id } = await reeve.submit(shop, 1);
  reeve.close();
  pageLost(path, rootOf(path, part));
  return { path, id };
}

const malformed = 'SQLite says: database disk image is malformed.';

test.each(['sqlite_sequence', 'Attention'])(
  'an order that cannot go to Error without %s is named once, and others go on',
  async (part) => {
    const { path, id } = await without(part);
    const first = await started(path, declined);
    for (let at = 0; at < 60; at += 1) await first.clock.advance(second);
    const unstored = first
      .damaged()
      .filter(({ table, row }) => table === 'Processes' && row === id);
    const reason = `Its next revision, in Error, cannot be stored, so that the order stays as it was: ${malformed}`;
    expect(unstored).toEqual([{ file: path, table: 'Processes', row: id, reason }]);
    first.reeve.close();
    const { reeve, clock, damaged } = await started(path, done);
    const other = await reeve.submit(shop, 2);
    for (let at = 0; at < 10; at += 1) await clock.advance(second);
    const record = (await reeve.store.records([other.id])).get(other.id);
    expect(record?.processState).toBe('Processed');
    // Also before an order needs it.
    expect(damaged()).toContainEqual(
      expect.objectContaining({
        reason: expect.stringMatching(/^It cannot be read, so that no order goes to Error/),
      }),
    );
  },
);

test('without the lines, an order with a singleton key is refused with the code of damage, and others go on', async () => {
  const { path } = await without('Lines');
  const { reeve, clock, log, damaged } = await started(path, done);
  await clock.advance(2 * second);
  const lost = `It cannot be read, so that no order with a singleton key is accepted: ${malformed}`;
  expect(damaged()).toEqual([{ file: path, table: 'Lines', row: null, reason: lost }]);
  const server = await serveApi(reeve, { port: 0 });
  onTestFinished(server.close);
  const submitted = async (workflow: string) => {
    const answer = await fetch(`${server.url}/orders`, {
      ...{ method: 'POST', body: JSON.stringify({ workflow, details: 1 }) },
      headers: { 'content-type': 'application/json' },
    });
    const { code = null } = z.object({ code: z.string().optional() }).parse(await answer.json());
    return [answer.status, code];
  };
  expect(await submitted('desk')).toEqual([500, 'store-damaged']);
  expect(await submitted('shop')).toEqual([202, null]);
  const failed = log.lines.filter(({ event }) => event === 'request-failed');
  expect(failed).toMatchObject([
    { fields: { reason: expect.stringMatching(/^Row \w+ of table Lines in .* is damaged: /) } },
  ]);
  const health = await fetch(`${server.url}/healthz`);
  expect(await health.json()).toMatchObject({ status: 'degraded', causes: ['store-damaged'] });
});
