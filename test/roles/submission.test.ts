import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { schedulerId } from '#core/model/ids.ts';
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge } from '#core/model/message.ts';
import type { Admission } from '#ports/admission.ts';
import type { StateStore } from '#ports/state-store.ts';
import { type SubmissionRequest, submission } from '#roles/submission.ts';
import { sha256, systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { details, house } from '../support/orders.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const request: SubmissionRequest = {
  workflow: 'house',
  details,
  priority: 'high',
  tenant: 'inn',
  correlationId: null,
  replyTo: null,
  key: null,
};

interface Front {
  readonly store?: StateStore;
  /** The error of a failed nudge. */
  readonly failure?: unknown;
  readonly responseChannels?: readonly string[];
  /** Makes its write ids unique. */
  readonly name?: string;
  readonly admission?: Admission;
}

function submitter(world: RoleScenario, front: Front = {}) {
  const {
    store = world.store,
    failure = null,
    responseChannels = ['shop'],
    name = 'front',
  } = front;
  const nudges: Nudge[] = [];
  const role = submission({
    store,
    responseChannels,
    ...(front.admission !== undefined && { admission: front.admission }),
    clock: world.clock,
    log: world.log,
    registry: world.registry,
    ids: systemIds(world.clock, name),
    digest: sha256,
    random: systemRandom,
    channels: {
      nudges: {
        async send(messages) {
          if (failure !== null) throw failure;
          nudges.push(...messages);
        },
      },
      requests: { async send() {} },
    },
  });
  return { submit: (request: SubmissionRequest, by = 'ada') => role.submit(request, by), nudges };
}

test('an order that was accepted is stored, and a Scheduler is nudged', async () => {
  const world = roleScenario();
  const { submit, nudges } = submitter(world);
  const outcome = await submit({ ...request, replyTo: 'shop' });
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  expect(outcome.processState).toBe('Pending');
  expect(await world.record(outcome.orderId)).toMatchObject({
    processState: 'Pending',
    priority: 'high',
    tenant: 'inn',
    correlationId: null,
    replyTo: 'shop',
  });
  expect(nudges).toEqual([{ orderId: outcome.orderId, priority: 'high', tenant: 'inn' }]);
});

test('details that are no JSON are refused, and not the reason why a submission rejects', async () => {
  const { submit } = submitter(roleScenario());
  // As code in JavaScript has them.
  const details = Object.assign(JSON.parse('{}'), { colour: 'red', rooms: 2n });
  expect(await submit({ ...request, details })).toMatchObject({
    code: 'details-invalid',
    errors: [{ field: 'details.rooms', message: expect.stringContaining('must be JSON') }],
  });
});

test('details that JSON cannot represent unchanged are refused', async () => {
  const { submit } = submitter(roleScenario());
  const lossy: JsonValue = JSON.parse('{"colour":"blue","__proto__":{"x":1}}');
  expect(await submit({ ...request, details: lossy })).toEqual({
    kind: 'refused',
    code: 'details-invalid',
    errors: [{ field: 'details.__proto__', message: expect.stringContaining('choose another') }],
  });
});

test('without a key every submission is an order of its own', async () => {
  const { submit } = submitter(roleScenario());
  const outcomes = await Promise.all([submit(request), submit(request)]);
  const ids = outcomes.map((outcome) => outcome.kind === 'accepted' && outcome.orderId);
  expect(new Set(ids).size).toBe(2);
});

test('the same submission a hundred times at once is one order (R2)', async () => {
  const { submit } = submitter(roleScenario());
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, () => submit({ ...request, key: 'k' })),
  );
  const [first, ...others] = outcomes;
  expect(first?.kind).toBe('accepted');
  for (const other of others) expect(other).toEqual({ ...first, isRepeated: true });
});

test('a document with another order of keys is the same submission', async () => {
  const { submit } = submitter(roleScenario());
  const first = await submit({ ...request, key: 'k' });
  const { workflow, key: _, ...rest } = request;
  expect(await submit({ ...rest, key: 'k', workflow })).toEqual({ ...first, isRepeated: true });
});

test('the history names the submitter; the same key by another principal is the same order', async () => {
  const world = roleScenario();
  const { submit } = submitter(world);
  const first = await submit({ ...request, key: 'k' }, 'ada');
  const second = await submit({ ...request, key: 'k' }, 'bert');
  expect(second).toEqual({ ...first, isRepeated: true });
  if (first.kind !== 'accepted') throw new Error(first.code);
  expect((await world.record(first.orderId))?.history).toMatchObject([
    { type: 'submit', by: 'ada' },
  ]);
});

test('the same key of two tenants is two orders, and neither sees the order of the other', async () => {
  const { submit } = submitter(roleScenario());
  const of = async (tenant: string | null, colour = 'blue') =>
    submit({ ...request, tenant, key: 'k', details: { colour } });
  const outcomes = [await of('inn'), await of('bar'), await of(null), await of('null', 'red')];
  const ids = outcomes.map((outcome) => (outcome.kind === 'accepted' ? outcome.orderId : null));
  expect(ids).not.toContain(null);
  expect(new Set(ids).size).toBe(4);
});

test.each([
  ['details', { details: { colour: 'red' } }],
  ['priority', { priority: 'low' }],
  ['replyTo', { replyTo: 'shop' }],
] as const)('the same key with other %s is refused (R2)', async (_, change) => {
  const { submit } = submitter(roleScenario());
  await submit({ ...request, key: 'k' });
  expect(await submit({ ...request, key: 'k', ...change })).toMatchObject({
    kind: 'refused',
    code: 'key-reused',
  });
});

test('a repeat after a lost response gets the same order, and the nudge is sent (R12)', async () => {
  const world = roleScenario();
  let lost = false;
  const losing: StateStore = {
    ...world.store,
    async create(order, record) {
      const outcome = await world.store.create(order, record);
      if (lost) return outcome;
      lost = true;
      throw new UnavailableError('store-unavailable', 'no answer');
    },
  };
  const { submit, nudges } = submitter(world, { store: losing });
  await expect(submit({ ...request, key: 'k' })).rejects.toThrow(UnavailableError);
  expect(nudges).toEqual([]);
  expect(await submit({ ...request, key: 'k' })).toMatchObject({ kind: 'accepted' });
  expect(nudges).toHaveLength(1);
});

test.each([
  [new TypeError('no channel'), 'TypeError'],
  ['a text', 'unknown'],
])('a nudge that is lost loses no order: the Supervisor will find it (%s)', async (...row) => {
  const [failure, error] = row;
  const world = roleScenario();
  const { submit } = submitter(world, { failure });
  expect(await submit(request)).toMatchObject({ kind: 'accepted' });
  const fields = { nudges: 1, requests: 0, error, code: null };
  expect(world.log.lines).toEqual([{ event: 'messages-lost', fields }]);
});

test('a later repeat returns the present state of the order, and sends no nudge', async () => {
  const world = roleScenario();
  const { submit, nudges } = submitter(world);
  const first = await submit({ ...request, key: 'k' });
  if (first.kind !== 'accepted') throw new Error(first.code);
  const { orderId } = first;
  const claim = { type: 'claim', by: schedulerId('one') } as const;
  await world.transitions.apply([{ orderId, event: () => claim }]);
  const again = await submit({ ...request, key: 'k' });
  expect(again).toEqual({
    ...{ kind: 'accepted', orderId, processState: 'Processing', isRepeated: true },
  });
  expect(nudges).toHaveLength(1);
});

test('a key that was used for other content is refused, without a nudge', async () => {
  const { submit, nudges } = submitter(roleScenario());
  await submit({ ...request, key: 'k' });
  expect(await submit({ ...request, key: 'k', priority: 'low' })).toEqual({
    kind: 'refused',
    code: 'key-reused',
    errors: [
      { field: 'Idempotency-Key', message: 'was used for another submission: use a new key' },
    ],
  });
  expect(nudges).toHaveLength(1);
});

test.each<[string, Partial<StateStore>]>([
  ['order', { orders: async () => new Map() }],
  ['record', { records: async () => new Map() }],
])('a key of which the store has no %s any more is not taken for a repetition', async (_, gone) => {
  const world = roleScenario();
  await submitter(world).submit({ ...request, key: 'k' });
  const { submit } = submitter(world, { store: { ...world.store, ...gone }, name: 'another' });
  expect(await submit({ ...request, key: 'k' })).toMatchObject({ code: 'key-reused' });
});

test('an order without a key has no digest: nothing is compared with it', async () => {
  const world = roleScenario();
  const outcome = await submitter(world).submit(request);
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  const { orderId } = outcome;
  expect((await world.store.orders([orderId])).get(orderId)).toMatchObject({ digest: '' });
});

const paint = defineAgent({
  name: 'paint',
  input: z.null(),
  output: z.null(),
  undo: 'offered',
});
const workflowOf = (name: string, version: number) =>
  defineWorkflow({ name, version, details: z.null() })
    .step('paint', { agent: paint, completeWithin: 1_000, input: () => null })
    .build();

test.each([
  [[house], 'house'],
  [[house, workflowOf('castle', 1), workflowOf('house', 2)], 'house, castle'],
  [[], 'none'],
])('an unknown workflow is refused with the names that are known', async (...row) => {
  const [workflows, known] = row;
  const { submit } = submitter(roleScenario(undefined, workflows));
  const message = `"tower" is not a known workflow (known: ${known})`;
  expect(await submit({ ...request, workflow: 'tower' })).toMatchObject({
    errors: [{ field: 'workflow', message }],
  });
});

test.each([
  [['shop'], 'shop'],
  [['shop', 'desk'], 'shop, desk'],
  [[], 'none'],
])('an unknown response channel is refused with the names that are registered', async (...row) => {
  const [responseChannels, known] = row;
  const { submit } = submitter(roleScenario(), { responseChannels });
  const message = `is not a registered response channel (registered: ${known})`;
  expect(await submit({ ...request, replyTo: 'attic' })).toMatchObject({
    errors: [{ field: 'replyTo', message }],
  });
});

test('details that the schema of the workflow makes too large are refused', async () => {
  const note = z.string().default('x'.repeat(limits.detailsBytesMax));
  const large = defineWorkflow({ name: 'castle', version: 1, details: z.object({ note }) })
    .step('paint', { agent: paint, completeWithin: 1_000, input: () => null })
    .build();
  const { submit } = submitter(roleScenario(undefined, [large]));
  expect(await submit({ ...request, workflow: 'castle', details: {} })).toEqual({
    kind: 'refused',
    code: 'details-invalid',
    errors: [{ field: 'details', message: expect.stringContaining('more than 131072 bytes') }],
  });
  const short = await submit({ ...request, workflow: 'castle', details: { note: 'x' } });
  expect(short).toMatchObject({ kind: 'accepted' });
});

test.each([
  ['an unknown workflow', { workflow: 'castle' }, 'workflow-unknown', ['workflow']],
  ['details that do not fit', { details: {} }, 'details-invalid', ['details.colour']],
  ['an unknown response channel', { replyTo: 'http://x' }, 'reply-to-unknown', ['replyTo']],
] as const)('%s is refused, naming the field', async (_, change, code, fields) => {
  const { submit } = submitter(roleScenario());
  const outcome = await submit({ ...request, ...change });
  if (outcome.kind !== 'refused') throw new Error('accepted');
  expect(outcome.code).toBe(code);
  expect(outcome.errors.map(({ field }) => field)).toEqual(fields);
});

test('a key of a release without correlation ids is still recognised', async () => {
  const world = roleScenario();
  const { submit } = submitter(world);
  const outcome = await submit({ ...request, key: 'k' });
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  const order = (await world.store.orders([outcome.orderId])).get(outcome.orderId);
  const { correlationId: _, ...before } = request;
  expect(order?.digest).toBe(sha256(canonicalJson({ ...before, key: 'k' })));
});

test('a correlation id is part of the content that a key identifies', async () => {
  const world = roleScenario();
  const { submit } = submitter(world);
  const named = { ...request, key: 'k', correlationId: 'po-7' };
  const first = await submit(named);
  expect(await submit(named)).toEqual({ ...first, isRepeated: true });
  expect(await submit({ ...named, correlationId: 'po-8' })).toMatchObject({ code: 'key-reused' });
  if (first.kind !== 'accepted') throw new Error(first.code);
  expect(await world.record(first.orderId)).toMatchObject({ correlationId: 'po-7' });
});

/** Refuses every order, or none; counts the accepted ones whose write has not ended. */
function fakeAdmission() {
  const state = { isFull: false, unsettled: 0 };
  const refusal = { code: 'overloaded', retryAfterMs: 5_000 } as const;
  const admission: Admission = {
    ask() {
      if (state.isFull) return refusal;
      state.unsettled += 1;
      return null;
    },
    settled() {
      state.unsettled -= 1;
    },
  };
  return { state, refusal, admission };
}

test.each([
  ['without a key', null],
  ['with a key', 'cart-1'],
])('an order %s that is refused leaves nothing, and is accepted later (R28)', async (_, key) => {
  const world = roleScenario();
  const { state, refusal, admission } = fakeAdmission();
  const { submit, nudges } = submitter(world, { admission });
  state.isFull = true;
  expect(await submit({ ...request, key })).toEqual({ kind: 'overloaded', ...refusal });
  expect(await world.store.list({ processState: null, limit: 10, cursor: null })).toMatchObject({
    items: [],
  });
  expect(nudges).toEqual([]);
  state.isFull = false;
  expect(await submit({ ...request, key })).toMatchObject({ kind: 'accepted' });
  expect(state.unsettled).toBe(0);
});

test('a repeated submission of an accepted key is accepted while too many wait (R28)', async () => {
  const world = roleScenario();
  const { state, admission } = fakeAdmission();
  const { submit } = submitter(world, { admission });
  const keyed = { ...request, key: 'cart-1' };
  const first = await submit(keyed);
  state.isFull = true;
  expect(await submit(keyed)).toEqual({ ...first, isRepeated: true });
  expect(await submit({ ...keyed, priority: 'low' })).toMatchObject({ code: 'key-reused' });
});

test('an invalid order is refused as such, also while too many wait', async () => {
  const { state, admission } = fakeAdmission();
  const { submit } = submitter(roleScenario(), { admission });
  state.isFull = true;
  expect(await submit({ ...request, details: 1 })).toMatchObject({ code: 'details-invalid' });
});

test('an order whose write failed is counted no longer', async () => {
  const world = roleScenario();
  const { state, admission } = fakeAdmission();
  const create = () => Promise.reject(new UnavailableError('aws-unavailable', 'away'));
  const { submit } = submitter(world, { admission, store: { ...world.store, create } });
  await expect(submit(request)).rejects.toThrow('away');
  expect(state.unsettled).toBe(0);
});

test('an admission that has to read first is waited for', async () => {
  const world = roleScenario();
  const { refusal } = fakeAdmission();
  const admission: Admission = { ask: async () => refusal, settled() {} };
  const { submit } = submitter(world, { admission });
  expect(await submit(request)).toEqual({ kind: 'overloaded', ...refusal });
});
