/** The limits of the agents, as one instance of the Scheduler asks them: what a call gets, what is given back, and who waits. */
import { expect, test } from 'vitest';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { AgentSetting } from '#core/definition/agent-settings.ts';
import { agentName } from '#core/model/ids.ts';
import { limits as bounds } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { graceMs } from '#distributed/limits/known-holders.ts';
import { limitQueues } from '#distributed/limits/limit-queues.ts';
import { isHold } from '#ports/gates.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import {
  byTenant,
  callMs,
  dayMs,
  granted,
  instance,
  limit,
  perSecond,
  queueOf,
  replyTo,
} from '../../support/limited-instance.ts';
import { newOrder } from '../../support/orders.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

test('an agent without limits, and a call to which none applies, are not counted', async () => {
  const { all, ask, request, writes } = instance([limit('per-tenant', { atOnce: 1, ...byTenant })]);
  expect(all.ask({ ...request('o1'), agent: agentName('other') }, false)).toBeNull();
  expect(await ask(request('o2'))).toBeNull();
  expect(writes).toEqual([]);
});

test('a call gets room and a slot: of keys first, and then of all calls', async () => {
  const { ask, request } = instance([limit('per-tenant', { ...perSecond(10), ...byTenant })], {
    own: [limit('whole', { ...perSecond(20), atOnce: 2 })],
  });
  const {
    slots = [],
    startAt,
    startBy = 0,
  } = granted(request('o1', 'ada'), await ask(request('o1', 'ada')));
  expect(slots.map(({ name }) => name.replace(/#[^#]+#/, ' '))).toEqual([
    'paint/whole calls',
    'paint/per-tenant rate',
    'paint/whole rate',
  ]);
  expect(slots.map(({ everyMs }) => everyMs)).toEqual([undefined, 100, 50]);
  expect(startAt).toBe(request('o1').completeBy - callMs);
  expect(startBy).toBeGreaterThan(startAt ?? 0);
});

test('a call of a pool with as many limits as it and its member may have is a message, and so is its reply', async () => {
  const all = (owner: string) =>
    Array.from({ length: bounds.agentLimitsMax }, (_, at): AgentLimit => {
      const name = `${owner.padEnd(40, 'x')}/${`limit${at}-`.padEnd(40, 'x')}`;
      return { name, rate: { count: 7, per: 1_000, burst: 2 }, atOnce: 10_000, key: () => 'all' };
    });
  const { ask, request } = instance(all('pool'), { own: all('member') });
  const sent = granted(request('o1'), await ask(request('o1')));
  expect(sent.slots).toHaveLength(4 * bounds.agentLimitsMax);
  expect(requestCodec.decode(requestCodec.encode(sent))).toEqual({
    kind: 'message',
    message: sent,
  });
  const { slots: _, startAt: __, startBy: ___, ...plain } = sent;
  const slotsBytes = requestCodec.encode(sent).length - requestCodec.encode(plain).length;
  // An item of the largest limit has a number of three digits, and may be scarce.
  const longer = 2 * bounds.agentLimitsMax * '~249,"isScarce":true'.length;
  expect(slotsBytes + longer).toBeLessThanOrEqual(bounds.slotsBytesMax);
  const reply = replyTo(sent);
  expect(replyCodec.decode(replyCodec.encode(reply))).toEqual({ kind: 'message', message: reply });
});

test('each value of a key has a limit of its own, and its text is no part of a name', async () => {
  const { ask, request, writes } = instance([limit('per-tenant', { atOnce: 1, ...byTenant })]);
  granted(request('o1', 'ada'), await ask(request('o1', 'ada')));
  granted(request('o2', 'bob'), await ask(request('o2', 'bob')));
  expect(isHold(await ask(request('o3', 'ada')))).toBe(true);
  const names = new Set(writes.map(({ name }) => name));
  expect(names.size).toBe(2);
  for (const name of names) expect(name).not.toMatch(/ada|bob/);
});

test('a call that gets no slot gives back the room that it had', async () => {
  const { all, ask, request, clock } = instance([
    limit('room', { atOnce: 1 }),
    limit('rate', perSecond(1)),
  ]);
  const first = granted(request('o1'), await ask(request('o1')));
  all.replied([replyTo(first)]);
  expect(isHold(await ask(request('o2')))).toBe(true);
  await clock.advance(1_000);
  granted(request('o3'), await ask(request('o3'), true));
});

test('a call that gets room in one limit and none in another leaves the first one', async () => {
  const { all, ask, request, clock } = instance([
    limit('narrow', { atOnce: 1, ...byTenant }),
    limit('wide', { atOnce: 1 }),
  ]);
  const first = granted(request('o1'), await ask(request('o1')));
  expect(first.slots).toHaveLength(1);
  expect(queueOf(await ask(request('o2', 'ada')))).not.toBe('');
  all.replied([replyTo(first)]);
  await clock.advance(200);
  granted(request('o3', 'ada'), await ask(request('o3', 'ada'), true));
});

test('a call whose slot cannot be leased, because the store gives no answer, gives back its room', async () => {
  const { ask, request, failRates } = instance([
    limit('room', { atOnce: 1 }),
    limit('rate', perSecond(10)),
  ]);
  failRates(true);
  expect(isHold(await ask(request('o1')))).toBe(true);
  failRates(false);
  granted(request('o2'), await ask(request('o2')));
});

test('two instances that ask for one attempt have room each, so that one may give its room back', async () => {
  const table = limitTable();
  const [one, two] = ['one', 'two'].map((name) =>
    instance([limit('room', { atOnce: 2 })], { name, table }),
  );
  if (one === undefined || two === undefined) throw new Error('no instance');
  const asked = one.request('o1');
  granted(asked, await one.ask(asked));
  const overtaken = granted(asked, await two.ask(asked));
  two.all.release(overtaken);
  granted(one.request('o2'), await two.ask(one.request('o2')));
  // The first one still has its room.
  expect(isHold(await two.ask(one.request('o3')))).toBe(true);
});

test('what operators changed is in force: a lower and a higher number of calls at once, and another rate', async () => {
  const settings = new Map<string, AgentSetting>();
  const changed = { by: 'grace', at: 0 };
  const room = [limit('room', { atOnce: 100 })];
  const { ask, request, clock } = instance(room, { settings });
  settings.set('paint/room', { limit: { ...changed, atOnce: 3 } });
  const lower = await Promise.all(['o1', 'o2', 'o3', 'o4'].map((order) => ask(request(order))));
  expect(lower.filter((answer) => !isHold(answer))).toHaveLength(3);
  settings.set('paint/room', { limit: { ...changed, atOnce: 5 } });
  await clock.advance(1_000);
  const higher = await Promise.all(['o5', 'o6', 'o7'].map((order) => ask(request(order), true)));
  expect(higher.filter((answer) => !isHold(answer))).toHaveLength(2);

  const paced = instance([limit('rate', perSecond(10))], { settings });
  settings.set('paint/rate', { limit: { ...changed, rate: { count: 50, per: 1_000, burst: 1 } } });
  const { slots } = granted(paced.request('o1'), await paced.ask(paced.request('o1')));
  expect(slots?.map(({ everyMs }) => everyMs)).toEqual([20]);
});

test('two attempts of a step have room each', async () => {
  const { ask, request } = instance([limit('room', { atOnce: 2 })]);
  granted(request('o1'), await ask(request('o1')));
  granted(request('o1'), await ask({ ...request('o1'), attempt: 2 }));
  expect(isHold(await ask(request('o2')))).toBe(true);
});

// A clock that seems to be ahead is perhaps right, and the messages were late: room never ends too early.
test.each([
  { aheadMs: -2_000, laterMs: 2_000 },
  { aheadMs: 2_000, laterMs: 0 },
  { aheadMs: 360_000, laterMs: -360_000 },
])(
  'room is until complete-by and a grace by the time of the queues, $aheadMs ms behind, and its item is kept for a day more at least',
  async ({ aheadMs, laterMs }) => {
    const { ask, request, writes, clock } = instance([limit('room', { atOnce: 3 })], { aheadMs });
    const asked = request('o1');
    granted(asked, await ask(asked));
    const [written] = writes;
    const change = written !== undefined && 'come' in written.change ? written.change : null;
    const until = asked.completeBy + laterMs + 5_000;
    expect([...(change?.come.values() ?? [])]).toEqual([until]);
    expect(change?.keepUntil).toBeGreaterThanOrEqual(until + dayMs);
    expect(clock.now()).toBe(asked.completeBy - callMs);
  },
);

test('the first that waits asks again by its own clock, and those behind it wait to be called', async () => {
  const { all, ask, request, clock } = instance([limit('room', { atOnce: 2 })], { aheadMs: 2_000 });
  const first = granted(request('o1'), await ask(request('o1')));
  granted(request('o2'), await ask(request('o2')));
  const held = await ask(request('o3'));
  expect(held).toMatchObject({ gate: 'limit', until: clock.now() + callMs + graceMs });
  const queue = queueOf(held);
  expect(all.isClosed(queue)).toBe(true);
  const latest = clock.now() + bounds.holdLookMaxMs;
  expect(await ask(request('o4'))).toEqual({ gate: 'limit', queue, until: latest });
  all.replied([replyTo(first, { kind: 'heartbeat' })]);
  expect(all.isClosed(queue)).toBe(true);
  all.replied([replyTo(first)]);
  expect(all.isClosed(queue)).toBe(false);
  // One that comes is behind those that wait, and one of them is next.
  expect(await ask(request('o5'))).toMatchObject({ queue });
  await clock.advance(200);
  granted(request('o3'), await ask(request('o3'), true));
});

test('of those that find a full room one after the other, one asks again by its own clock, the longer the later', async () => {
  const { ask, request, clock } = instance([limit('room', { atOnce: 1 })]);
  granted(request('o1'), await ask(request('o1')));
  const askAt = clock.now() + callMs + graceMs;
  expect(await ask(request('o2'))).toMatchObject({ until: askAt });
  const latest = () => clock.now() + bounds.holdLookMaxMs;
  await clock.advance(1_000);
  expect(await ask(request('o3'), true)).toMatchObject({ until: latest() });
  await clock.advance(askAt - clock.now());
  expect(await ask(request('o2'), true)).toMatchObject({ until: askAt + 2 * (callMs + graceMs) });
});

test('after a clock was set back, a queue is not closed by what it said before', async () => {
  const clock = virtualClock();
  const queues = limitQueues(clock);
  clock.jump(3_000_000);
  const freeAt = clock.now() + 500;
  queues.refused('paint', 'q', { kind: 'full', freeAt, askAt: freeAt });
  expect([queues.isClosed('q'), queues.areWaiting('q')]).toEqual([true, true]);
  clock.jump(-3_000_000);
  expect([queues.isClosed('q'), queues.areWaiting('q')]).toEqual([false, false]);
});

test('one that comes passes no other until no step waits any more', async () => {
  const { all, ask, request, clock } = instance([limit('rate', perSecond(1))]);
  granted(request('o1'), await ask(request('o1')));
  const held = await ask(request('o2'));
  // The next slot is 750 ms after the first one, which may arrive so late; it is leased a second ahead.
  expect(held).toMatchObject({ until: clock.now() + 1 });
  await clock.advance(1_000);
  expect(all.isClosed(queueOf(held))).toBe(false);
  expect(isHold(await ask(request('o3')))).toBe(true);
  all.nothingWaits('other');
  expect(isHold(await ask(request('o3')))).toBe(true);
  all.nothingWaits('paint');
  granted(request('o3'), await ask(request('o3')));
});

test('a request that is not sent gives back its room', async () => {
  const { all, ask, request } = instance([limit('room', { atOnce: 1 })]);
  all.release(granted(request('o1'), await ask(request('o1'))));
  granted(request('o2'), await ask(request('o2')));
});

test('a heartbeat moves the end of the room to that of its attempt, and one of another attempt does not', async () => {
  const aheadMs = -2_000;
  const { all, ask, request, extended, fail, clock, log } = instance(
    [limit('room', { atOnce: 1 }), limit('rate', perSecond(10))],
    { aheadMs },
  );
  const sent = granted(request('o1'), await ask(request('o1')));
  const completeBy = clock.now() + 9_000;
  const { record } = newOrder('o1', clock.now());
  const running = {
    state: 'Running',
    completeBy,
    completeWithinMs: 9_000,
    endBy: completeBy,
  } as const;
  const records = (attempt: number): readonly ProcessRecord[] => [
    {
      ...record,
      steps: record.steps.map((step) => ({
        ...step,
        attempt,
        progress: { ...running, input: null },
      })),
    },
  ];
  const heartbeat = replyTo(sent, { kind: 'heartbeat' });
  await all.extended([heartbeat], records(2));
  await all.extended([replyTo(sent)], records(1));
  expect(extended).toEqual([]);
  await all.extended([heartbeat], records(1));
  const [room] = sent.slots ?? [];
  expect(extended).toEqual([[room?.name, completeBy - aheadMs + 5_000]]);
  expect(log.lines).toEqual([]);
  const slots = sent.slots?.map((slot) => ({ ...slot, name: 'another room' })) ?? [];
  await all.extended([{ ...heartbeat, slots }], records(1));
  expect(log.lines).toMatchObject([
    { event: 'room-lost', fields: { orderId: 'o1', attempt: 1, agent: record.steps[0]?.agent } },
  ]);
  fail(true);
  expect(await all.extended([replyTo(sent), heartbeat], records(1))).toEqual(new Set([heartbeat]));
  expect(log.lines.map(({ event }) => event)).toEqual(['room-lost', 'limits-unknown']);
  fail(false);
  expect(await all.extended([heartbeat], records(1))).toEqual(new Set());
});

test('where the store gives no answer, a step waits for a second, and that is logged', async () => {
  const { all, ask, request, fail, log, clock } = instance([
    limit('room', { atOnce: 2 }),
    limit('rate', perSecond(10)),
  ]);
  fail(true);
  expect(await ask(request('o1'))).toEqual({ gate: 'limit', until: clock.now() + 1_000 });
  fail(false);
  const sent = granted(request('o2'), await ask(request('o2')));
  fail(true);
  all.replied([
    replyTo({ ...sent, slots: sent.slots?.map((slot) => ({ ...slot, isScarce: true })) ?? [] }),
  ]);
  await all.settled();
  expect(log.lines.map(({ event }) => event)).toEqual(['limits-unknown', 'limits-unknown']);
});

test('a key that fails counts with all others that fail, and is logged', async () => {
  const key = (): never => {
    throw Object.assign(new TypeError('ada is unknown'), { code: 'customer-unknown' });
  };
  const { ask, request, log } = instance([limit('per-tenant', { atOnce: 1, key })]);
  granted(request('o1', 'ada'), await ask(request('o1', 'ada')));
  expect(isHold(await ask(request('o2', 'bob')))).toBe(true);
  expect(new Set(log.lines.map(({ event }) => event))).toEqual(new Set(['limit-key-failed']));
  expect(log.lines[0]?.fields).toEqual({
    ...{ agent: 'paint', limit: 'paint/per-tenant' },
    ...{ error: 'TypeError', code: 'customer-unknown' },
  });
});

test('after replies of calls with limits, two others may begin for each', async () => {
  const { all, ask, request } = instance([limit('room', { atOnce: 3 })]);
  const sent = granted(request('o1'), await ask(request('o1')));
  const { slots: _, ...without } = replyTo(sent);
  expect(all.startable([without])).toBeUndefined();
  expect(all.startable([replyTo(sent), without])).toBe(4);
});
