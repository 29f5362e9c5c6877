/** What people and programs see of the members of pools: documents of the API, and sentences. */
import { describe, expect, it, test } from 'vitest';
import { orderSchema } from '#cli/api/response-schemas.ts';
import { orderLines } from '#cli/output/order-text.ts';
import { remedy } from '#console/order/fault-words.ts';
import { historyLine } from '#console/order/history-lines.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { agentName, stepName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import * as described from '#http/schemas.ts';
import { workflowsSchema } from '#http/service-schemas.ts';
import { listedView, orderView, workflowsView } from '#http/view.ts';
import { historySentence } from '#text/history-text.ts';
import {
  by,
  cancel,
  claim,
  epoch,
  expire,
  flow,
  gated,
  play,
  type Situation,
  submit,
  undoNo,
  undoOk,
} from '../core/support.ts';
import { house, newOrder } from '../support/orders.ts';

const pool = { east: { domain: 'bank' }, west: { domain: 'bank', weight: 3 }, rival: {} };
const pending = submit(flow({ a: { pool } }));
const registry = workflowRegistry([pending.known.definition, house]);

const shown = (record: ProcessRecord): unknown => {
  const order = {
    ...{ orderId: record.orderId, details: {}, digest: 'd' },
    submittedAt: record.submittedAt,
  };
  return JSON.parse(JSON.stringify(orderView(record, order, registry)));
};
/** The order as it is, with these members and holds. */
const later = ({ record }: Situation): Situation => ({ record, known: pending.known });
const given = (situation: Situation, member: string) =>
  gated(later(situation), {}, { a: `a-${member}` });
const held = (situation: Situation, hold: 'concurrency' | 'circuit') =>
  gated(later(situation), { a: { hold, until: 60_000 } });
const givenTo = (agent: string) => [{ step: 'a', agent }];

/** It waits for the pool, is lost at east, waits for the bank, is lost at west, and is undone at east. */
const waiting = play(held(pending, 'concurrency'), [5, claim()]);
const lost = play(given(waiting, 'east'), [70, claim()], [1_071, expire]);
const waitingAgain = play(held(lost, 'circuit'), [1_080, claim()]);
const retried = play(given(waitingAgain, 'west'), [1_090, claim()]);
const late = play(retried, [2_091, expire]);
const undone = play(given(late, 'east'), [2_093, claim()], [2_100, by('a-east', undoOk('a', 3))]);

/** It is lost at east and at rival, undone at east between them, and then stuck. */
const backed = submit(
  flow({
    a: { pool, failover: 'undo-first', retries: 0, coolDown: { after: 100, times: 2 } },
  }),
);
const backedBy = ({ record }: Situation, member: string) =>
  gated({ record, known: backed.known }, {}, { a: `a-${member}` });
const failedOver = play(
  backedBy(
    play(backedBy(backed, 'east'), [0, claim()], [1_001, expire], [1_101, claim()]),
    'rival',
  ),
  [1_200, by('a-east', undoOk('a', 2))],
  [2_201, expire],
  [2_301, claim()],
  [2_400, by('a-rival', undoNo('a', 4))],
);

describe('the history of an order that failed over', () => {
  const backedShown = orderView(
    failedOver.record,
    { orderId: failedOver.record.orderId, details: {}, digest: 'd', submittedAt: epoch },
    workflowRegistry([backed.known.definition]),
  );

  it('says where the step was undone first, on the command line and in the console', () => {
    const sentences = [
      'submitted by ada',
      'Scheduler s-1 claimed it; step a goes to svc-a-east',
      'step a timed out',
      'Scheduler s-1 claimed it; step a is undone at svc-a-east before it starts anew',
      'step a undone (attempt 2); step a goes to svc-a-rival',
      'step a timed out',
      'Scheduler s-1 claimed it; step a is undone at svc-a-rival before it starts anew',
      'undo of step a failed (attempt 4): No (refused; it may have had an effect)',
    ];
    expect(backedShown.history.map((entry) => historySentence(historyLine(entry)))).toEqual(
      sentences,
    );
    const { history } = orderSchema.parse(JSON.parse(JSON.stringify(backedShown)));
    expect(history.map((entry) => historySentence(entry))).toEqual(sentences);
    expect(described.orderSchema.parse(backedShown)).toEqual(backedShown);
  });

  it('says so where the undo is held at first, and then of the step', () => {
    const circuitOpen = gated(play(backedBy(backed, 'east'), [0, claim()], [1_001, expire]), {
      a: { hold: 'circuit', until: 60_000 },
    });
    const { record } = play(
      { record: circuitOpen.record, known: { ...circuitOpen.known, agents: new Map() } },
      [1_101, claim()],
    );
    const order = { orderId: record.orderId, details: {}, digest: 'd', submittedAt: epoch };
    const document = orderView(record, order, workflowRegistry([backed.known.definition]));
    const [last] = document.history.slice(-1);
    expect(last && historySentence(historyLine(last))).toBe(
      "held: step a waits, because svc-a--bank's circuit breaker is open; step a is undone at svc-a--bank before it starts anew",
    );
    expect(document.steps['a']).toMatchObject({ state: 'Held', undoFirst: true });
    expect(described.orderSchema.parse(document)).toEqual(document);
    const known = orderSchema.parse(JSON.parse(JSON.stringify(document)));
    const bare = { paint: (_: unknown, text: string) => text, addressOptions: [] };
    const lines = orderLines(known, epoch + 1_101, bare).join('\n');
    expect(lines).toContain(
      'svc-a--bank, to be undone there before it starts anew: its circuit breaker is open',
    );
    expect(lines).toContain('in doubt: it is undone before it starts anew');
  });

  it('says of a step that is undone first that it starts anew, unless the order is being undone', () => {
    const stepOf = ({ record }: Situation) => {
      const order = { orderId: record.orderId, details: {}, digest: 'd', submittedAt: epoch };
      return orderView(record, order, workflowRegistry([backed.known.definition])).steps['a'];
    };
    expect(stepOf(failedOver)).toMatchObject({ undoFirst: true });
    const cancelled = play(failedOver, [2_500, cancel]);
    expect(cancelled.record.direction).toBe('undo');
    expect(stepOf(cancelled)).not.toHaveProperty('undoFirst');
  });

  it('is about an undo that an operator can repeat', () => {
    const summary = described.orderSchema.parse(backedShown);
    expect(summary).toMatchObject({ processState: 'Error', direction: 'forward' });
    expect(remedy(summary)).toBe(
      'Remove the cause, then resubmit to repeat the undo; or cancel to undo all effects.',
    );
  });
});

test('a workflow says that its pool fails over', () => {
  const { workflows } = workflowsView(workflowRegistry([backed.known.definition]));
  expect(workflows[0]?.steps[0]).toMatchObject({ failover: 'undo-first' });
  expect(workflowsSchema.parse({ workflows })).toEqual({ workflows });
  expect(workflowsView(registry).workflows[0]?.steps[0]).not.toHaveProperty('failover');
});

describe('the history of an order with a pool', () => {
  const document = shown(undone.record);

  it('matches the description, and names each member and each group that the step waited for', () => {
    expect(described.orderSchema.parse(document)).toEqual(document);
    const { history } = described.orderSchema.parse(document);
    expect(history.map(({ type, holds, agents }) => [type, holds?.[0]?.agent, agents])).toEqual([
      ['submit', undefined, undefined],
      ['held', 'svc-a', undefined],
      ['claim', undefined, givenTo('svc-a-east')],
      ['expired', undefined, undefined],
      ['held', 'svc-a--bank', undefined],
      ['claim', undefined, givenTo('svc-a-west')],
      ['expired', undefined, undefined],
      ['claim', undefined, givenTo('svc-a-east')],
      ['undoSucceeded', undefined, undefined],
    ]);
  });

  it('reads the same on the command line and in the console', () => {
    const sentences = [
      'submitted by ada',
      'held: step a waits, because svc-a has as many calls as it can begin in time',
      'Scheduler s-1 claimed it; step a goes to svc-a-east',
      'step a timed out',
      "held: step a waits, because svc-a--bank's circuit breaker is open",
      'Scheduler s-1 claimed it; step a goes to svc-a-west',
      'step a timed out',
      'Scheduler s-1 claimed it; step a goes to svc-a-east',
      'step a undone (attempt 3)',
    ];
    expect(orderSchema.parse(document).history.map(historySentence)).toEqual(sentences);
    const { history } = described.orderSchema.parse(document);
    expect(history.map((entry) => historySentence(historyLine(entry)))).toEqual(sentences);
  });

  it('of a step that is held beside one that starts names the one in the hold, and the other as given', () => {
    const [held, claimed] = [waiting, retried].map(({ record }) => record.history.at(-1));
    if (held?.type !== 'held' || claimed?.type !== 'claim') throw new Error('no such entries');
    const [hold] = held.holds ?? [];
    if (hold === undefined) throw new Error('nothing is held');
    const other = { step: stepName('b'), agent: agentName('svc-b-west') };
    const both = { ...claimed, holds: [hold], agents: [other, ...(held.agents ?? [])] };
    const { history } = described.orderSchema.parse(shown({ ...retried.record, history: [both] }));
    expect(history).toMatchObject([
      { holds: [{ step: 'a', agent: 'svc-a' }], agents: [{ step: 'b', agent: 'svc-b-west' }] },
    ]);
  });
});

test('an order without a pool has no agents in its history', () => {
  const { order, record } = newOrder('one', Date.UTC(2026, 0, 1));
  const text = JSON.stringify(orderView(record, order, registry).history);
  expect(text).not.toContain('agent');
});

test('a step that waits is listed with what it waits for', () => {
  expect(listedView(waiting.record).held).toMatchObject([{ step: 'a', agent: 'svc-a' }]);
  expect(listedView(waitingAgain.record).held).toMatchObject([{ step: 'a', agent: 'svc-a--bank' }]);
});

test('a workflow says which agents may perform its steps', () => {
  const document = JSON.parse(JSON.stringify(workflowsView(registry)));
  expect(workflowsSchema.parse(document)).toEqual(document);
  const { workflows } = workflowsSchema.parse(document);
  expect(workflows.map(({ steps: [step] }) => [step?.agent, step?.pool])).toEqual([
    [
      'svc-a',
      [
        { agent: 'svc-a-east', domain: 'bank', weight: 1 },
        { agent: 'svc-a-west', domain: 'bank', weight: 3 },
        { agent: 'svc-a-rival', domain: 'rival', weight: 1 },
      ],
    ],
    ['paint', undefined],
  ]);
});

test.each([
  ['circuit', undefined, "held: step a waits, because its agent's circuit breaker is open"],
  [
    'concurrency',
    'pay',
    'held: step a waits, because pay has as many calls as it can begin in time',
  ],
  ['limit', 'pay', "held: step a waits, because one of pay's limits has no room for the call"],
  ['drained', 'pay', 'held: step a waits, because an operator lets no new calls go to pay'],
] as const)('a hold by %s of %s reads "%s"', (gate, agent, text) => {
  const holds = [{ step: 'a', gate, ...(agent !== undefined && { agent }) }];
  expect(historySentence({ type: 'held', at: 0, holds, times: 1 })).toBe(text);
});

test('each step that a reply gives to a member is in its sentence', () => {
  const agents = [
    { step: 'b', agent: 'pay-north' },
    { step: 'c', agent: 'tax-eu' },
  ];
  expect(historySentence({ type: 'stepSucceeded', at: 0, step: 'a', attempt: 2, agents })).toBe(
    'step a completed (attempt 2); step b goes to pay-north; step c goes to tax-eu',
  );
});
