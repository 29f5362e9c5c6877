/** The calls of one agent in its own limits and in those of their keys. */
import { expect, test } from 'vitest';
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import { lead, limitBucket } from '#in-process/limits/limit-bucket.ts';
import { limitedCalls } from '#in-process/limits/limited-calls.ts';
import { call } from '../support/agent-requests.ts';
import { randoms } from '../support/randoms.ts';

const limitOf = (name: string, count: number, per: number): AgentLimit => ({
  ...{ name, rate: { count, per, burst: 1 }, atOnce: null, key: null },
});
/** A process that has made no call for an hour. */
const startedAt = -3_600_000;

test('a call that waits for a slot of its key leaves those of the whole rate to others', () => {
  let nowMs = startedAt;
  const clock = { now: () => nowMs, after: () => () => {} };
  const options = { lead: lead(), clock };
  const calls = limitedCalls({ ...options, limits: [limitOf('whole', 50, 1_000)] });
  const ofKey = limitOf('key', 1, 2_000);
  const random = randoms(3);
  /** Attempts that have not ended, with the instant at which the next call asks for its slot. */
  const waiting: { request: ReturnType<typeof call>; at: number; isRetry: boolean }[] = [];
  const made: number[] = [];
  for (nowMs = 0; nowMs < 20_000; nowMs += 1) {
    if ((calls.freeAt() ?? Infinity) <= nowMs) {
      const request = call(String(nowMs));
      calls.reserve();
      const key = limitBucket({ ...options, limit: ofKey, startedAt });
      calls.start(request, [key.reserve()]);
      calls.begin(request);
      waiting.push({ request, at: nowMs, isRetry: false });
    }
    for (const one of waiting.filter(({ at }) => at <= nowMs)) {
      const refusal = calls.refusal(one.request, nowMs + 10_000);
      if (refusal !== null) {
        one.at = nowMs + refusal.retryAfterMs;
        continue;
      }
      made.push(nowMs);
      // The service refuses every tenth call, which is then made again, in the next slot of its key.
      if (!one.isRetry && random() < 0.1) one.isRetry = true;
      else {
        calls.end(one.request);
        waiting.splice(waiting.indexOf(one), 1);
      }
    }
  }
  expect(made.length).toBeGreaterThan(0.95 * 50 * 20);
  const most = Math.floor(50 * 1.02) + 1;
  const tooMany = made.filter((at, first) => (made[first + most] ?? Infinity) < at + 1_000);
  expect(tooMany).toEqual([]);
});

test('a request is sent no sooner before its slot than half of the time of the shortest call', () => {
  const ahead = lead();
  for (let sent = 0; sent < 100; sent += 1) ahead.measured(150);
  expect(ahead.ms()).toBeGreaterThan(200);
  ahead.sent(8_000);
  expect(ahead.ms()).toBeGreaterThan(200);
  ahead.sent(120);
  ahead.sent(8_000);
  expect(ahead.ms()).toBe(60);
});

test('a clock that is set back by minutes moves the slots of calls that wait with it', () => {
  let nowMs = startedAt;
  const clock = { now: () => nowMs, after: () => () => {} };
  const calls = limitedCalls({ lead: lead(), clock, limits: [limitOf('whole', 1, 10_000)] });
  nowMs = 0;
  const waits = ['first', 'second'].map((order) => {
    const request = call(order);
    calls.reserve();
    calls.start(request, []);
    calls.begin(request);
    return request;
  });
  const again = (at: number) => {
    const request = waits[at];
    return request && calls.refusal(request, nowMs + 60_000)?.retryAfterMs;
  };
  expect([again(0), again(1)]).toEqual([undefined, 9_980]);
  nowMs += 1_000;
  nowMs -= 300_000;
  expect(again(1)).toBeLessThanOrEqual(10_000);
});
