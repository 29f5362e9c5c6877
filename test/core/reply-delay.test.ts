import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWorthNoting, mayReplyWait } from '#core/flow/reply-delay.ts';

const at = Date.UTC(2026, 0, 1);

test.each([
  ['half a second, and nothing noted before', 500, null, true],
  ['less', 499, null, false],
  ['the same, within two seconds', 900, { ms: 900, at: at - 1_999 }, false],
  ['the same, after two seconds', 900, { ms: 900, at: at - 2_000 }, true],
  ['twice as long, at once', 1_800, { ms: 900, at: at - 1 }, true],
  ['the same, and the clock was set back', 900, { ms: 900, at: at + 60_000 }, true],
] as const)('a Scheduler notes a delay: %s', (_, ms, noted, isNoted) => {
  expect(isWorthNoting({ ms, at }, noted)).toBe(isNoted);
});

test.each([
  ['at complete-by', 0, 0, true],
  ['after the delay, because it may have grown', 3_000, 0, true],
  ['after twice the delay', 6_001, 0, false],
  ['while the note counts', 0, 13_000, true],
  ['after a note that is too old', 0, 13_001, false],
  ['after a note from the future', 0, -2_001, false],
])('where replies wait for 3 s, one may wait: %s', (_, lateMs, ageMs, may) => {
  expect(mayReplyWait({ ms: 3_000, at: at - ageMs }, at - lateMs, at)).toBe(may);
});

test('a late call waits for twice the delay, and for ten minutes at most', () => {
  fc.assert(
    fc.property(fc.nat(40 * 3_600_000), fc.nat(600_000), fc.nat(1_000), (ms, sinceMs, ageMs) => {
      const nowMs = at + Math.min(2 * ms, 600_000) + 1 + sinceMs;
      expect(mayReplyWait({ ms, at: nowMs - ageMs }, at, nowMs)).toBe(false);
    }),
  );
});
