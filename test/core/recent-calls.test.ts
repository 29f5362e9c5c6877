/** How many calls per second a service answers. */
import { expect, test } from 'vitest';
import { noRate, rateWith } from '#core/flow/recent-calls.ts';

test('a clock that is set back by minutes does not make the rate of calls seem higher when it has caught up', () => {
  let rate = noRate;
  let nowMs = 0;
  const answered = (seconds: number) => {
    for (let call = 0; call < seconds * 10; call += 1) {
      nowMs += 100;
      rate = rateWith(rate, nowMs);
    }
  };
  answered(60);
  expect(rate.perSecond).toBeCloseTo(10, 0);
  nowMs -= 300_000;
  answered(330);
  expect(rate.perSecond).toBeCloseTo(10, 0);
});
