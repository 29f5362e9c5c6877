import { expect, onTestFinished, test, vi } from 'vitest';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock, systemTimes } from '#runtime/node/system-clock.ts';
import { instanceName, sha256, systemIds } from '#runtime/node/system-ids.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('order ids are unique, and later ones sort after earlier ones', () => {
  const clock = virtualClock();
  const ids = systemIds(clock, 'one');
  const made = Array.from({ length: 2_000 }, () => {
    clock.jump(1);
    return ids.orderId();
  });
  expect(new Set(made).size).toBe(made.length);
  expect(made.toSorted()).toEqual(made);
});

test('many order ids of one instant are unique', () => {
  const ids = systemIds(virtualClock(), 'one');
  expect(new Set(Array.from({ length: 5_000 }, () => ids.orderId())).size).toBe(5_000);
});

test('write ids of two instances never collide', () => {
  const clock = virtualClock();
  const [one, two] = [systemIds(clock, instanceName()), systemIds(clock, instanceName())];
  const made = Array.from({ length: 500 }, () => [one.writeId(), two.writeId()]).flat();
  expect(new Set(made).size).toBe(1_000);
});

test('the digest is SHA-256', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a clock that is set changes no uptime', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const hourMs = 3_600_000;
  const before = { now: systemTimes.now(), uptime: systemTimes.uptime() };
  vi.setSystemTime(before.now + hourMs);
  expect(systemTimes.now() - before.now).toBe(hourMs);
  expect(systemTimes.uptime() - before.uptime).toBeLessThan(hourMs / 2);
});

test('a timer months ahead fires on time, and can be cancelled', () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const days = 24 * 3_600_000;
  let kept = 0;
  systemClock.after(60 * days, () => {
    kept += 1;
  });
  const cancel = systemClock.after(60 * days, () => {
    kept += 10;
  });
  vi.advanceTimersByTime(59 * days);
  expect(kept).toBe(0);
  cancel();
  vi.advanceTimersByTime(2 * days);
  expect(kept).toBe(1);
});

test('the log has a line for each event of its level and above', () => {
  const lines: string[] = [];
  const log = jsonLog(virtualClock(Date.UTC(2026, 0, 1)), 'warn', (line) => lines.push(line));
  log.info('started', { alive: 0 });
  log.warn('order-refused', { orderId: 'one', code: 'store-refused' });
  log.error('sweep-failed', { error: 'Later.' });
  expect(lines).toEqual([
    '{"at":"2026-01-01T00:00:00.000Z","level":"warn","event":"order-refused","orderId":"one","code":"store-refused"}\n',
    '{"at":"2026-01-01T00:00:00.000Z","level":"error","event":"sweep-failed","error":"Later."}\n',
  ]);
});
