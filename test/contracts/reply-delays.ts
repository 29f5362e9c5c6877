/** The contract of ReplyDelays, tested through the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReplyDelays } from '#ports/health/reply-delays.ts';

const at = Date.UTC(2026, 0, 1);

/** `openEmpty` returns some without a note. */
export function replyDelaysContract(name: string, openEmpty: () => Promise<ReplyDelays>): void {
  describe(`the contract of reply delays: ${name}`, () => {
    let delays: ReplyDelays;
    beforeEach(async () => {
      delays = await openEmpty();
    });

    test('there is none at first', async () => {
      expect(await delays.read('paint')).toBeNull();
    });

    test('the last note of each agent is read as it was noted', async () => {
      await delays.note('paint', { ms: 7_250, at });
      await delays.note('constructor', { ms: 600, at: at + 1 });
      expect(await delays.read('paint')).toEqual({ ms: 7_250, at });
      expect(await delays.read('constructor')).toEqual({ ms: 600, at: at + 1 });
      expect(await delays.read('print')).toBeNull();
      await delays.note('paint', { ms: 900, at: at + 2_000 });
      expect(await delays.read('paint')).toEqual({ ms: 900, at: at + 2_000 });
    });
  });
}
