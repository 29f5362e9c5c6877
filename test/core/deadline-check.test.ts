/** When the Supervisor is asked to look at a deadline. */
import { describe, expect, it } from 'vitest';
import { checkAfter, farCheck, laterCheck, nextCheck } from '#core/decide/checks/deadline-check.ts';
import { overdueAt } from '#core/decide/due.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { limits } from '#core/model/limits.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import {
  apply,
  beat,
  claim,
  epoch,
  expire,
  flow,
  ok,
  play,
  type Situation,
  submit,
} from './support.ts';

/** A check in short: `at`, and `until` of one that another takes over from. */
function show(check: DeadlineCheck | null): string {
  if (check === null) return 'none';
  const until = check.until === undefined ? '' : ` until ${check.until - epoch}`;
  return `${check.at - epoch} of ${(check.claimedAt ?? 0) - epoch}${until}`;
}

function sentBy({ record, known }: Situation, ms: number, event: RecordEvent): string {
  return show(checkAfter(record, apply(record, event, epoch + ms, known)));
}

const next = ({ record }: Situation, check: Partial<DeadlineCheck>, ms: number) =>
  show(nextCheck(record, { claimedAt: epoch, ...check }, epoch + ms));

const one = submit(flow({ a: { completeWithin: 1_000 } }));
const shorter = submit(
  flow({ a: { completeWithin: 5_000 }, b: { completeWithin: 1_000, after: ['a'] } }),
);
const running = play(one, [0, claim()]);
const long = play(shorter, [0, claim()]);

describe('a claim', () => {
  it('sends a check for the deadline of its call', () => {
    expect(sentBy(one, 0, claim())).toBe('1001 of 0');
  });

  it('sends one for the first instant at which any call of the order can be late', () => {
    expect(sentBy(shorter, 0, claim())).toBe('1001 of 0');
  });

  it('sends none where that is later than a message can be delayed', () => {
    const far = submit(flow({ a: { completeWithin: limits.messageDelayMaxMs + 1 } }));
    expect(sentBy(far, 0, claim())).toBe('none');
  });
});

describe('a reply', () => {
  it('sends none before the first check of the claim comes', () => {
    expect(sentBy(long, 1_000, ok('a'))).toBe('none');
  });

  it('sends one later, when a call that it starts is due before all others', () => {
    expect(sentBy(long, 2_000, ok('a'))).toBe('3001 of 0 until 5001');
  });

  it('sends none for a later deadline', () => {
    const equal = submit(flow({ a: {}, b: { after: ['a'] } }));
    expect(sentBy(play(equal, [0, claim()]), 900, ok('a'))).toBe('none');
    const slow = play(submit(flow({ a: { maxDuration: 9_000 } })), [0, claim()]);
    expect(sentBy(slow, 600, beat('a'))).toBe('none');
  });

  it('sends one when a deadline that was farther away than a message can be delayed is not any more', () => {
    const minuteMs = 60_000;
    const call = { completeWithin: 16 * minuteMs };
    const two = play(submit(flow({ a: call, b: call })), [0, claim()]);
    expect(sentBy(two, 30_000, ok('a'))).toBe('none');
    expect(sentBy(two, 5 * minuteMs, ok('a'))).toBe('960001 of 0');
    const near = play(two, [30_000, ok('a')]);
    expect(sentBy(near, 5 * minuteMs, ok('b'))).toBe('none');
  });

  it('sends none at the end of the order, and none when the order is released', () => {
    expect(sentBy(running, 10, ok('a'))).toBe('none');
    expect(sentBy(running, 1_001, expire)).toBe('none');
  });
});

describe('a check that has come', () => {
  it('is sent again for the earliest deadline of the calls in flight', () => {
    expect(next(long, {}, 1_001)).toBe('5001 of 0');
  });

  it('is the last one when the order has ended, or a claim will send another', () => {
    expect(next(play(running, [10, ok('a')]), {}, 1_001)).toBe('none');
    expect(next(play(running, [1_001, expire]), {}, 1_001)).toBe('none');
  });

  it('is the last one of its claim when the order was claimed again', () => {
    const again = play(running, [1_001, expire], [1_002, claim('s-2')]);
    expect(next(again, {}, 1_500)).toBe('none');
    expect(next(again, { claimedAt: epoch + 1_002 }, 1_500)).toBe('2003 of 1002');
  });

  it('is sent again only before another check takes over', () => {
    expect(next(long, { until: epoch + 5_001 }, 3_000)).toBe('none');
    expect(next(long, { until: epoch + 5_002 }, 3_000)).toBe('5001 of 0 until 5002');
  });

  it('leaves what is late to the sweep, so that it never repeats at once', () => {
    expect(next(long, {}, 5_001)).toBe('none');
  });
});

describe('a check that left a late call alone, because its reply may wait', () => {
  const later = (check: Partial<DeadlineCheck>, ms: number) => {
    const come = { orderId: running.record.orderId, at: epoch + 1_001, claimedAt: epoch, ...check };
    return show(laterCheck(running.record, come, epoch + ms));
  };

  it.each([
    ['2 s after the deadline', 1_001, '3001 of 0'],
    ['at the same instant, whenever it came', 3_000, '3001 of 0'],
    ['then after twice as long', 3_001, '5001 of 0'],
    ['and so on', 5_001, '9001 of 0'],
    ['also if it came late', 120_000, '129001 of 0'],
  ])('is sent again %s', (_, ms, expected) => {
    expect(later({}, ms)).toBe(expected);
  });

  it('keeps the instant at which another check takes over', () => {
    expect(later({ until: epoch + 8_000 }, 1_001)).toBe('3001 of 0 until 8000');
  });

  it('is the last one after a later claim, and where a message cannot be delayed for so long', () => {
    expect(later({ claimedAt: epoch - 1 }, 1_001)).toBe('none');
    expect(later({}, 1_001 + 1_023_999)).toBe('1025001 of 0');
    expect(later({}, 1_001 + 1_024_000)).toBe('none');
  });

  it('is the last one when the order has ended', () => {
    const { record } = play(running, [10, ok('a')]);
    const come = { orderId: record.orderId, at: epoch + 1_001, claimedAt: epoch };
    expect(show(laterCheck(record, come, epoch + 1_001))).toBe('none');
  });
});

describe('a sweep that looks ahead', () => {
  const far = limits.messageDelayMaxMs + 60_000;
  const slow = play(submit(flow({ a: { completeWithin: far } })), [0, claim()]);
  it.each([
    [
      'sends the check of a far deadline when a message can be delayed so long',
      60_001,
      `${far + 1} of 0`,
    ],
    ['and not before', 60_000, 'none'],
    ['and not when it has passed', far + 1, 'none'],
  ])('%s', (_, ms, expected) => {
    expect(show(farCheck(slow.record, epoch + ms))).toBe(expected);
  });
});

/** However a run of an order goes, some check is always on its way to the earliest deadline or before it. */
it('one check is on its way to the earliest deadline at any time', () => {
  const steps = {
    a: { completeWithin: 7_000 },
    b: { completeWithin: 900, after: ['a'] },
    c: { completeWithin: 3_000, after: ['b'] },
  };
  for (let first = 100; first < 7_000; first += 300) {
    for (let second = 100; second < 900; second += 200) {
      let { record } = submit(flow(steps));
      const { known } = submit(flow(steps));
      let checks: DeadlineCheck[] = [];
      const events: [number, RecordEvent][] = [
        [0, claim()],
        [first, ok('a')],
        [first + second, ok('b')],
      ];
      for (let ms = 0; ms <= first + second + 2_000; ms += 50) {
        for (const [, event] of events.filter(([at]) => at === ms)) {
          const written: ProcessRecord = apply(record, event, epoch + ms, known);
          const check = checkAfter(record, written);
          if (check !== null) checks.push(check);
          record = written;
        }
        const come = checks.filter(({ at }) => at <= epoch + ms);
        checks = [
          ...checks.filter((check) => !come.includes(check)),
          ...come.flatMap((check) => nextCheck(record, check, epoch + ms) ?? []),
        ];
        const due = overdueAt(record) ?? Number.NaN;
        expect(checks.some(({ at }) => at <= due)).toBe(true);
        expect(checks.length).toBeLessThanOrEqual(2);
      }
    }
  }
});
