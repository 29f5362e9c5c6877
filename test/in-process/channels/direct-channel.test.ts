import { expect, test } from 'vitest';
import { directChannel } from '#in-process/channels/direct-channel.ts';
import type { Delivery } from '#ports/delivery.ts';
import { testLog } from '../../support/log.ts';
import { settled, virtualClock } from '../../support/virtual-clock.ts';

function channel(receive: (message: number) => Promise<Delivery>) {
  const clock = virtualClock();
  const log = testLog();
  const open = directChannel<number>({ name: 'test', receive, retryAfterMs: 250, clock, log });
  return { clock, log, ...open };
}

const done: Delivery = { kind: 'done' };

test('each message is handed on by itself, after the turn of its sender, and waits for no other', async () => {
  const seen: number[] = [];
  const { send } = channel((message) => {
    seen.push(message);
    return new Promise(() => {});
  });
  const sent = send([1, 2]);
  expect(seen).toEqual([]);
  await sent;
  await send([3]);
  await settled();
  expect(seen).toEqual([1, 2, 3]);
});

test('a returned message is delivered again after a pause, alone', async () => {
  const seen: number[] = [];
  const { send, clock } = channel(async (message) => {
    seen.push(message);
    return message === 2 && seen.length === 2 ? { kind: 'retry' } : done;
  });
  await send([1, 2, 3]);
  await clock.advance(249);
  expect(seen).toEqual([1, 2, 3]);
  await clock.advance(1);
  expect(seen).toEqual([1, 2, 3, 2]);
  expect(clock.pending()).toBe(0);
});

test('after a failure, which is logged, the message is delivered again', async () => {
  let calls = 0;
  const { send, clock, log } = channel(async () => {
    calls += 1;
    if (calls === 1) throw new Error('no store');
    return done;
  });
  await send([1]);
  await clock.advance(1_000);
  expect(calls).toBe(2);
  expect(log.lines).toEqual([
    { event: 'delivery-failed', fields: { channel: 'test', error: 'no store' } },
  ]);
});

test('an unreadable message is logged with its reason and not delivered again (R19)', async () => {
  let calls = 0;
  const { send, clock, log } = channel(async () => {
    calls += 1;
    return { kind: 'park', reason: 'unknown-order' };
  });
  await send([1]);
  await clock.advance(60_000);
  expect(calls).toBe(1);
  expect(log.lines).toEqual([
    { event: 'message-parked', fields: { channel: 'test', reason: 'unknown-order' } },
  ]);
});

test.each<[string, () => Promise<Delivery>]>([
  ['asked for again', async () => ({ kind: 'retry' })],
  ['not taken', () => Promise.reject(new Error('no store'))],
])('what is %s when the channel is closed, or after, is not waited for', async (_, answer) => {
  const gates: (() => void)[] = [];
  const { send, clock, close, log } = channel(async () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate.resolve);
    await gate.promise;
    return answer();
  });
  await send([1, 2]);
  await settled();
  gates[0]?.();
  await settled();
  const { length } = log.lines;
  expect(clock.pending()).toBe(1);
  close();
  expect(clock.pending()).toBe(0);
  gates[1]?.();
  await send([3]);
  await settled();
  await clock.advance(60_000);
  expect([gates.length, log.lines.length, clock.pending()]).toEqual([2, length, 0]);
});
