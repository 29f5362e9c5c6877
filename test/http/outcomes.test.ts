/** Each outcome of the roles, as the API answers it: status, code, headers, and what is logged. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { workflowRegistry } from '#core/definition/registry.ts';
import { orderId } from '#core/model/ids.ts';
import type { ProcessApiPorts } from '#http/api-ports.ts';
import { problems } from '#http/problem.ts';
import { problemSchema } from '#http/problem-schema.ts';
import { overloaded } from '#http/routes/overloaded.ts';
import { batchResultSchema } from '#http/schemas.ts';
import { orderView } from '#http/view.ts';
import type { OperatorOutcome } from '#roles/operator.ts';
import type { BatchOutcome } from '#roles/submission/submission-batch.ts';
import { testLog } from '../support/log.ts';
import { claimed, house, newOrder } from '../support/orders.ts';
import { body, orderIdOf, scenario } from './scenario.ts';

const id = '01kdvdna0012vzf1k7ypyn20t7';
const { order, record } = newOrder(id, 0);
const actions = { resubmit: undefined, cancel: undefined, reprioritise: { priority: 'low' } };

/** An API whose operator answers so, and notes with which options it was asked. */
async function operatedBy(outcome: OperatorOutcome) {
  const asked: unknown[] = [];
  const operator: ProcessApiPorts['operator'] = {
    async resubmit(_, __, options) {
      asked.push(options);
      return outcome;
    },
    async cancel(_, __, options) {
      asked.push(options);
      return outcome;
    },
    async reprioritise(_, __, ___, options) {
      asked.push(options);
      return outcome;
    },
  };
  return { asked, world: await scenario((ports) => ({ ...ports, operator })) };
}

const reasons = [
  ...(['not-in-error', 'ended', 'already-undoing', 'irreversible'] as const),
  ...(['changed', 'record-full', 'same-priority'] as const),
];

test.each(
  Object.entries(actions).flatMap(([action, sent]) =>
    reasons.map((reason) => [action, reason, sent] as const),
  ),
)('%s that is refused as %s has its status and code', async (action, reason, sent) => {
  const { world } = await operatedBy({ kind: 'refused', reason, record, errors: [] });
  const response = await world.post(`/orders/${id}/${action}`, sent);
  const { code } = problemSchema.parse(await response.json());
  expect([code, response.status]).toEqual([reason, problems[reason][0]]);
});

test.each(Object.entries(actions))(
  '%s passes the revision of If-Match on',
  async (action, sent) => {
    const { asked, world } = await operatedBy({ kind: 'done', record });
    await world.app.request(`/orders/${id}/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'if-match': '"7"' },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    expect(asked).toEqual([expect.objectContaining({ ifRevision: 7 })]);
  },
);

test('an order that an earlier one answers is a success, and nothing was accepted', async () => {
  const submission: ProcessApiPorts['submission'] = {
    submit: async () => ({
      ...{ kind: 'accepted', orderId: orderId(id), processState: 'Processing', skipped: true },
    }),
  };
  const { submit } = await scenario((ports) => ({ ...ports, submission }));
  const response = await submit();
  expect([response.status, response.headers.get('location')]).toEqual([200, `/orders/${id}`]);
  expect(await response.json()).toMatchObject({ orderId: id, skipped: true });
});

const outcomes: readonly (readonly [BatchOutcome, string | null, string | null])[] = [
  [{ kind: 'accepted', orderId: orderId(id), processState: 'Pending' }, null, null],
  [{ kind: 'refused', code: 'workflow-unknown', errors: [] }, 'workflow-unknown', 'refused'],
  [{ kind: 'overloaded', code: 'overloaded', retryAfterMs: 0 }, 'overloaded', 'overloaded'],
  [{ kind: 'failed', error: new Error('x') }, 'internal', 'failed'],
  [{ kind: 'not-begun' }, 'unavailable', 'failed'],
];

test.each(outcomes)('an order of a batch: %o', async (outcome, code, counted) => {
  const log = testLog();
  const batch: ProcessApiPorts['batch'] = { submit: async () => [outcome] };
  const { post } = await scenario((ports) => ({ ...ports, log, batch }));
  const response = await post('/orders/batch', { orders: [body] });
  const [answer] = batchResultSchema.parse(await response.json()).orders;
  const problem = answer !== undefined && 'problem' in answer ? answer.problem : null;
  expect(problem?.code ?? null).toBe(code);
  const noted = log.lines.filter(({ event }) => event === 'orders-not-accepted');
  expect(noted.map(({ fields }) => fields)).toEqual(
    counted === null
      ? []
      : [{ by: 'olga', of: 1, refused: 0, overloaded: 0, failed: 0, [counted]: 1 }],
  );
});

test.each([0, 1, 999, 1_000, 1_001])(
  'a refusal for %i ms asks for whole seconds of it, and one at least',
  (ms) => {
    const offered = { priority: 'normal', tenant: null, workflow: 'dinner', details: {} } as const;
    const { retryAfterSeconds } = overloaded(
      { kind: 'overloaded', code: 'overloaded', retryAfterMs: ms },
      offered,
      0,
    );
    expect(retryAfterSeconds).toBe(ms > 1_000 ? 2 : 1);
  },
);

test('while a call is in flight, its step is not in doubt', () => {
  const working = claimed(record, 1_000);
  const steps = working.steps.map((step) => ({ ...step, doubtUntil: 500 }));
  const shown = orderView({ ...working, steps }, order, workflowRegistry([house]));
  expect(Object.values(shown.steps).map(({ state, inDoubt }) => [state, inDoubt])).toEqual([
    ['Running', false],
    ['Running', false],
    ['NotStarted', true],
  ]);
});

const codeOf = async (response: Response) => problemSchema.parse(await response.json()).code;

const firstPage = async (get: (path: string) => Promise<Response>) =>
  z.object({ cursor: z.string() }).parse(await (await get('/orders?limit=1')).json());

/** Every filter of the listing, by a value of it. */
const filters = {
  ...{ state: 'Processed', workflow: 'dinner', agent: 'cook', step: 'cook', fault: 'burnt' },
  ...{ held: 'true', tenant: 'inn', correlationId: 'table 7' },
  ...{ since: '2020-01-01T00:00:00Z', before: '2200-01-01T00:00:00Z' },
};

test.each(Object.entries(filters))(
  'a cursor belongs to its filters: one without %s is refused with it',
  async (name, value) => {
    const { get, submit } = await scenario();
    for (let at = 0; at < 2; at += 1) await submit();
    const first = await firstPage(get);
    const query = new URLSearchParams({ limit: '1', cursor: first.cursor });
    expect((await get(`/orders?${query}`)).status).toBe(200);
    query.set(name, value);
    const response = await get(`/orders?${query}`);
    expect([response.status, await codeOf(response)]).toEqual([400, 'cursor-invalid']);
  },
);

test.each(['x', 'AAAA', '0'.repeat(40)])('a cursor that ends with "%s" is refused', async (end) => {
  const { get, submit } = await scenario();
  for (let at = 0; at < 2; at += 1) await submit();
  const { cursor } = await firstPage(get);
  const response = await get(`/orders?cursor=${cursor.slice(0, 8)}${end}`);
  expect([response.status, await codeOf(response)]).toEqual([400, 'cursor-invalid']);
});

test.each(['/orders', '/orders/{id}', '/workflows', '/activity'])(
  '%s that has not changed is not sent again',
  async (path) => {
    const { get, submit, reaches } = await scenario((ports) => ({
      ...ports,
      lastSweepAt: () => 0,
      clock: { ...ports.clock, now: () => 0 },
    }));
    const own = await orderIdOf(await submit());
    await reaches(own, 'Processed');
    const of = path.replace('{id}', own);
    const tag = (await get(of)).headers.get('etag') ?? 'no tag';
    const again = await get(of, { 'if-none-match': tag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  },
);
