import { expect, it } from 'vitest';
import { instantAfter } from '#core/model/instant.ts';
import { limits } from '#core/model/limits.ts';

it('an instant that `Date` cannot represent is refused with the numbers it comes from', () => {
  expect(instantAfter(1_000, 2)).toBe(1_002);
  expect(instantAfter(limits.instantMaxMs - 1, 1)).toBe(limits.instantMaxMs);
  expect(() => instantAfter(limits.instantMaxMs, 1)).toThrow(
    expect.objectContaining({
      code: 'instant-impossible',
      message: `1 ms after ${limits.instantMaxMs} is not a valid date. Restore the data that contain it from a backup.`,
    }),
  );
});
