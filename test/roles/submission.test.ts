import { expect, test } from 'vitest';
import { UnavailableError } from '#core/errors.ts';
import { canonicalJson, type JsonValue } from '#core/json.ts';
import type { Nudge } from '#core/message.ts';
import type { StateStore } from '#ports/state-store.ts';
import { type SubmissionRequest, submission } from '#roles/submission.ts';
import { sha256, systemIds } from '#runtime/system-ids.ts';
import { details } from '../support/orders.ts';
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

function submitter(world: RoleScenario, store: StateStore = world.store, canNudge = true) {
  const nudges: Nudge[] = [];
  const role = submission({
    store,
    clock: world.clock,
    log: world.log,
    registry: world.registry,
    ids: systemIds(world.clock, 'front'),
    digest: sha256,
    responseChannels: ['shop'],
    channels: {
      nudges: {
        async send(messages) {
          if (!canNudge) throw new Error('no channel');
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
  expect(nudges).toEqual([{ orderId: outcome.orderId, priority: 'high' }]);
});

test('details that would lose something on the way are refused, however they came', async () => {
  const { submit } = submitter(roleScenario());
  const lossy: JsonValue = JSON.parse('{"colour":"blue","__proto__":{"x":1}}');
  expect(await submit({ ...request, details: lossy })).toEqual({
    kind: 'refused',
    code: 'details-invalid',
    errors: [{ field: 'details.__proto__', message: expect.stringContaining('take another') }],
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
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  expect(outcomes[0]?.kind).toBe('accepted');
});

test('the order of keys in a document makes it no other submission', async () => {
  const { submit } = submitter(roleScenario());
  const first = await submit({ ...request, key: 'k' });
  const { workflow, key: _, ...rest } = request;
  expect(await submit({ ...rest, key: 'k', workflow })).toEqual(first);
});

test('who submitted is in the history; the same key by another principal is the same order', async () => {
  const world = roleScenario();
  const { submit } = submitter(world);
  const first = await submit({ ...request, key: 'k' }, 'ada');
  expect(await submit({ ...request, key: 'k' }, 'bert')).toEqual(first);
  if (first.kind !== 'accepted') throw new Error(first.code);
  expect((await world.record(first.orderId))?.history).toMatchObject([
    { type: 'submit', by: 'ada' },
  ]);
});

test('the same key of two tenants is two orders, and no tenant is told of the other’s', async () => {
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

test('an answer that was lost is found again under its key, and the nudge is sent (R12)', async () => {
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
  const { submit, nudges } = submitter(world, losing);
  await expect(submit({ ...request, key: 'k' })).rejects.toThrow(UnavailableError);
  expect(nudges).toEqual([]);
  expect(await submit({ ...request, key: 'k' })).toMatchObject({ kind: 'accepted' });
  expect(nudges).toHaveLength(1);
});

test('a nudge that is lost loses no order: the Supervisor will find it', async () => {
  const world = roleScenario();
  const { submit } = submitter(world, world.store, false);
  expect(await submit(request)).toMatchObject({ kind: 'accepted' });
  expect(world.log.lines.map(({ event }) => event)).toEqual(['messages-lost']);
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

test('a key of before there were correlation ids is still recognised', async () => {
  const world = roleScenario();
  const { submit } = submitter(world);
  const outcome = await submit({ ...request, key: 'k' });
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  const order = (await world.store.orders([outcome.orderId])).get(outcome.orderId);
  const { correlationId: _, ...before } = request;
  expect(order?.digest).toBe(sha256(canonicalJson({ ...before, key: 'k' })));
});

test('a correlation id is part of what was submitted', async () => {
  const world = roleScenario();
  const { submit } = submitter(world);
  const named = { ...request, key: 'k', correlationId: 'po-7' };
  const first = await submit(named);
  expect(await submit(named)).toEqual(first);
  expect(await submit({ ...named, correlationId: 'po-8' })).toMatchObject({ code: 'key-reused' });
  if (first.kind !== 'accepted') throw new Error(first.code);
  expect(await world.record(first.orderId)).toMatchObject({ correlationId: 'po-7' });
});
