/** What `npm run bench:deployed` finds in a run that is not reconciled. */
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { type Evidence, faultsOf } from '../../bench/deployed/reconciliation.ts';
import type { Submission } from '../../bench/deployed/submission.ts';

const amountCents = 5_160;

const accepted = (key: string, id: string): Submission => ({
  key,
  outcome: { kind: 'accepted', orderId: id, afterMs: 10 },
  refusals: [],
  ambiguous: 0,
});

const stepOf = { inventory: 'reserve', payment: 'charge', shipping: 'ship' } as const;

const effect = (id: string, service: keyof typeof stepOf, effects = 1) => ({
  service,
  key: `${id}/${stepOf[service]}`,
  state: 'applied',
  effects,
  ...(service === 'payment' && { amountCents }),
});

const effectsOf = (id: string) => [
  effect(id, 'inventory'),
  effect(id, 'payment'),
  effect(id, 'shipping'),
];

const stored = (id: string, processState: Evidence['orders'][number]['processState']) => ({
  orderId: orderId(id),
  processState,
});

/** Two orders that were processed, and a refused one. */
const reconciled: Evidence = {
  submissions: [
    accepted('load-1', 'one'),
    accepted('load-2', 'two'),
    {
      key: 'load-3',
      outcome: { kind: 'refused' },
      refusals: [{ code: 'overloaded', retryAfterMs: 1_000 }],
      ambiguous: 0,
    },
  ],
  orders: [stored('one', 'Processed'), stored('two', 'Processed')],
  amountCents,
  entries: [...effectsOf('one'), ...effectsOf('two')],
  left: new Map([
    ['ready_normal', 0],
    ['dead_ready', 0],
  ]),
};

const found = (changes: Partial<Evidence>) => faultsOf({ ...reconciled, ...changes });

test('a run in which everything agrees has no fault', () => {
  expect(found({})).toEqual([]);
});

test('an accepted order that is not stored is lost', () => {
  const orders = [stored('one', 'Processed')];
  expect(found({ orders, entries: effectsOf('one') })).toEqual(['order two of load-2 is lost']);
});

test('effects of an order that is not stored are found', () => {
  const entries = [...reconciled.entries, ...effectsOf('three')];
  expect(found({ entries })).toEqual([
    'three: effects of an order that was not submitted',
    `charged ${3 * amountCents} cents, where ${2 * amountCents} are due`,
  ]);
});

test('an order that belongs to no accepted submission is found', () => {
  const submissions = reconciled.submissions.slice(1);
  expect(found({ submissions })).toEqual(['order one is of no accepted submission']);
});

test('two keys that became one order are found', () => {
  const submissions = [...reconciled.submissions, accepted('load-4', 'two')];
  expect(found({ submissions })).toEqual(['load-2, load-4 are all order two']);
});

test.each(['Pending', 'Processing', 'Error'] as const)(
  'an order that is %s at the end is found',
  (state) => {
    const orders = [stored('one', state), stored('two', 'Processed')];
    expect(found({ orders })).toEqual([`order one is ${state}`]);
  },
);

test('an effect that happened twice is found', () => {
  const entries = [
    ...effectsOf('one'),
    effect('two', 'inventory'),
    effect('two', 'payment'),
    effect('two', 'shipping', 2),
  ];
  expect(found({ entries })).toEqual(['two/ship took effect 2 times']);
});

test('a charge under a second key is found, and so is its amount', () => {
  const second = { ...effect('two', 'payment'), key: 'two/charge#2' };
  expect(found({ entries: [...reconciled.entries, second] })).toEqual([
    'two is Processed, but payment has 2 effects in force',
    `charged ${3 * amountCents} cents, where ${2 * amountCents} are due`,
  ]);
});

test('an effect that is missing is found, and one that an undone order has left', () => {
  const missing = reconciled.entries.filter(({ key }) => key !== 'one/ship');
  expect(found({ entries: missing })).toEqual([
    'one is Processed, but shipping has 0 effects in force',
  ]);
  const orders = [stored('one', 'Undone'), stored('two', 'Processed')];
  const left = reconciled.entries.filter(
    ({ key }) => key !== 'one/charge' && key !== 'one/reserve',
  );
  expect(found({ orders, entries: left })).toEqual([
    'one is Undone, but shipping has 1 effects in force',
  ]);
});

test('a message that is left in a queue or a dead-letter queue is found', () => {
  const left = new Map([
    ['ready_normal', 2],
    ['retry.fifo', 0],
    ['dead_ready', 1],
  ]);
  expect(found({ left })).toEqual([
    'messages left in ready_normal: 2',
    'messages left in dead_ready: 1',
  ]);
});

test('a refusal without a Retry-After is found, and a submission that was never accepted', () => {
  const refused: Submission = {
    key: 'load-4',
    outcome: { kind: 'refused' },
    refusals: [
      { code: 'overloaded', retryAfterMs: 2_000 },
      { code: 'overloaded', retryAfterMs: null },
    ],
    ambiguous: 0,
  };
  const failed: Submission = {
    key: 'load-5',
    outcome: { kind: 'failed', reason: '422: {}' },
    refusals: [],
    ambiguous: 3,
  };
  expect(found({ submissions: [...reconciled.submissions, refused, failed] })).toEqual([
    'refusals of load-4 without a Retry-After: 1',
    'load-5 was not accepted: 422: {}',
  ]);
});
