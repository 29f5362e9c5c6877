/** How many calls each agent of one process begins at once, and who is next. */
import { expect, test } from 'vitest';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import { agentRoom } from '#in-process/agent-room.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function started(callsMax: number) {
  const clock = virtualClock();
  const nudged: string[] = [];
  const room = agentRoom({
    callsMax: new Map([['paint', callsMax]]),
    nudge: (nudge) => nudged.push(nudge.orderId),
    clock,
  });
  /** As a role does it: what is held waits, once its record is stored. */
  const kinds = (...requests: readonly Request[]) => {
    const grants = room.ask(requests);
    room.wait(requests.filter((_, at) => grants[at]?.kind === 'hold'));
    return grants.map(({ kind }) => kind);
  };
  return { room, nudged, kinds, clock };
}

function call(order: string, step = 'coat', attempt = 1, agent = 'paint'): Request {
  const id = orderId(order);
  const key = idempotencyKey(id, stepName(step), 'perform', 1);
  return {
    orderId: id,
    workflow: workflowName('house'),
    step: stepName(step),
    agent: agentName(agent),
    attempt,
    action: 'perform',
    idempotencyKey: key,
    performKey: key,
    completeBy: 0,
    completeWithinMs: 1_000,
    endBy: 0,
    input: null,
    output: null,
    priority: 'normal',
    tenant: null,
  };
}

test('an agent begins as many calls at once as it says, and no more', () => {
  const { kinds } = started(2);
  expect(kinds(call('a'), call('b'), call('c'))).toEqual(['start', 'start', 'hold']);
  expect(kinds(call('d'))).toEqual(['hold']);
});

test('an agent without a number has no gate', () => {
  const { kinds } = started(1);
  expect(kinds(call('a', 'coat', 1, 'wash'), call('b', 'coat', 1, 'wash'))).toEqual([
    'start',
    'start',
  ]);
});

test('the order that waited first is nudged when a call ends, and gets the place', () => {
  const { room, nudged, kinds } = started(1);
  kinds(call('a'), call('b'), call('c'));
  room.release([call('a')]);
  expect(nudged).toEqual(['b']);
  expect(kinds(call('c'), call('d'), call('b'))).toEqual(['hold', 'hold', 'start']);
  expect(nudged).toEqual(['b']);
});

test('an order that begins to wait when there is room again is nudged at once', () => {
  const { room, nudged } = started(1);
  room.ask([call('a'), call('b')]);
  room.release([call('a')]);
  room.wait([call('b')]);
  expect(nudged).toEqual(['b']);
});

test('a place is released once, however often its request is', () => {
  const { room, nudged, kinds } = started(1);
  kinds(call('a'), call('b'), call('c'));
  room.release([call('a'), call('a')]);
  room.release([call('a', 'coat', 2), call('x')]);
  expect(nudged).toEqual(['b']);
});

test('a place that its order does not take within ten seconds goes to the next', async () => {
  const { room, nudged, kinds, clock } = started(1);
  kinds(call('a'), call('b'), call('c'));
  room.release([call('a')]);
  await clock.advance(9_999);
  expect(nudged).toEqual(['b']);
  await clock.advance(1);
  expect(nudged).toEqual(['b', 'c']);
  expect(kinds(call('b'), call('c'))).toEqual(['hold', 'start']);
});

test('several places that become free at once for one order are one nudge', () => {
  const { room, nudged, kinds } = started(2);
  kinds(call('a'), call('b'), call('c', 'first'), call('c', 'second'));
  room.release([call('a'), call('b')]);
  expect(nudged).toEqual(['c']);
  expect(kinds(call('c', 'first'), call('c', 'second'))).toEqual(['start', 'start']);
});

test('after it is closed, nothing is nudged and no timer is left', () => {
  const { room, nudged, kinds, clock } = started(2);
  kinds(call('a'), call('b'), call('c'), call('d'));
  room.release([call('a')]);
  room.close();
  room.release([call('b')]);
  expect(nudged).toEqual(['c']);
  expect(clock.pending()).toBe(0);
});
