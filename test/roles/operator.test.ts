import { expect, test } from 'vitest';
import { workflowRegistry } from '#core/definition/registry.ts';
import { orderId, schedulerId, stepName } from '#core/model/ids.ts';
import type { StateStore } from '#ports/state-store.ts';
import { type Operator, operator } from '#roles/operator.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const id = orderId('one');
const personIn = ({ transitions }: RoleScenario): Operator => operator(transitions);

/** Stopped in Error: a Scheduler that did not know its workflow had it. */
async function stopped(world: RoleScenario) {
  await world.create('one');
  const ignorant = world.another(workflowRegistry([]));
  const claim = { type: 'claim', by: schedulerId('old') } as const;
  await ignorant.apply([{ orderId: id, event: () => claim }]);
  return world.record(id);
}

test('a resubmitted order continues, and the history names the operator', async () => {
  const world = roleScenario();
  const { revision } = await stopped(world);
  const outcome = await personIn(world).resubmit(id, 'olga', { ifRevision: revision });
  const record = await world.record(id);
  expect(outcome).toEqual({ kind: 'done', record });
  expect(record).toMatchObject({ processState: 'Pending', fault: null });
  expect(record.history.at(-1)).toMatchObject({ type: 'resubmit', by: 'olga', corrections: [] });
});

test('the history has the correction of a resubmit', async () => {
  const world = roleScenario();
  await stopped(world);
  const corrections = [{ field: 'colour', value: 'red' }];
  expect(await personIn(world).resubmit(id, 'olga', { corrections })).toMatchObject({
    kind: 'done',
    record: { history: [{}, {}, { type: 'resubmit', corrections }] },
  });
});

test('a cancelled order is undone, and the history names the operator', async () => {
  const world = roleScenario();
  await world.createClaimed('one');
  expect(await personIn(world).cancel(id, 'olga')).toMatchObject({ kind: 'done' });
  const record = await world.record(id);
  expect(record).toMatchObject({ direction: 'undo', fault: { code: 'cancelled' } });
  expect(record.history.at(-1)).toMatchObject({ type: 'cancel', by: 'olga' });
});

test('an order gets another priority, and its next messages have it', async () => {
  const world = roleScenario();
  await world.create('one');
  const person = personIn(world);
  expect(await person.reprioritise(id, 'olga', 'low')).toMatchObject({ kind: 'done' });
  const record = await world.record(id);
  expect(record.priority).toBe('low');
  expect(record.history.at(-1)).toMatchObject({ type: 'reprioritise', by: 'olga', from: 'normal' });
  expect(world.nudges().at(-1)).toMatchObject({ orderId: id, priority: 'low' });
});

type Request = (person: Operator) => ReturnType<Operator['cancel']>;
const misfit = [{ field: 'colour', value: 7 }];
const refusals: readonly [string, Request, string, readonly string[]][] = [
  ['at another revision', (person) => person.resubmit(id, 'o', { ifRevision: 1 }), 'changed', []],
  [
    'with a correction that does not fit',
    (person) => person.resubmit(id, 'o', { corrections: misfit }),
    'correction-refused',
    ['colour'],
  ],
  [
    'cancelled at another revision',
    (person) => person.cancel(id, 'o', { ifRevision: 9 }),
    'changed',
    [],
  ],
];

test.each(refusals)(
  'a request is refused with its reason, and changes nothing: %s',
  async (...row) => {
    const [, request, reason, fields] = row;
    const world = roleScenario();
    const record = await stopped(world);
    const outcome = await request(personIn(world));
    expect(outcome).toMatchObject({ kind: 'refused', reason, record });
    const errors = outcome.kind === 'refused' ? outcome.errors : [];
    expect(errors.map(({ field }) => field)).toEqual(fields);
    expect(await world.record(id)).toEqual(record);
  },
);

test('a running order cannot be resubmitted', async () => {
  const world = roleScenario();
  const record = await world.createClaimed('one');
  const refused = { kind: 'refused', reason: 'not-in-error', errors: [], record };
  expect(await personIn(world).resubmit(id, 'olga')).toEqual(refused);
});

test('an order of another tenant is refused like one that does not exist', async () => {
  const world = roleScenario();
  const record = await stopped(world);
  const person = personIn(world);
  const unknown = { kind: 'unknown-order' };
  expect(await person.resubmit(id, 'olga', { tenant: 'inn' })).toEqual(unknown);
  expect(await person.cancel(id, 'olga', { tenant: 'inn' })).toEqual(unknown);
  expect(await person.cancel(orderId('nobody'), 'olga')).toEqual(unknown);
  expect(await world.record(id)).toEqual(record);
});

test('an error of the store rejects the request', async () => {
  const failing = (store: StateStore): StateStore => ({
    ...store,
    commit: () => Promise.reject(new Error('no disk')),
  });
  const world = roleScenario(failing);
  await world.createClaimed('one');
  await expect(personIn(world).cancel(id, 'olga')).rejects.toThrow('no disk');
  const { steps } = await world.record(id);
  expect(steps[0]).toMatchObject({ name: stepName('east'), progress: { state: 'Running' } });
});
