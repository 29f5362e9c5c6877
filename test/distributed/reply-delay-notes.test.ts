/** What a Scheduler notes of the replies that come. */
import { expect, test } from 'vitest';
import type { ReplyDelay } from '#core/flow/reply-delay.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { agentName } from '#core/model/ids.ts';
import { replyDelayNotes } from '#distributed/reply-delay-notes.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const paint = agentName('paint');

/** `aheadMs`: of the clock of the instance, before that of the queues. */
function scheduler({ aheadMs = 0, isFailing = false } = {}) {
  const clock = virtualClock();
  const log = testLog();
  const noted: { readonly agent: string; readonly delay: ReplyDelay }[] = [];
  const notes = replyDelayNotes({
    delays: {
      async note(agent, delay) {
        if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
        noted.push({ agent, delay });
      },
    },
    clock,
    queueClock: { now: () => clock.now() - aheadMs },
    log,
  });
  return { clock, log, noted, notes };
}

test('replies that wait for long are noted, with their mean, by the time of the queue', async () => {
  const { clock, noted, notes } = scheduler({ aheadMs: 60_000 });
  const now = clock.now();
  await notes.received(paint, [now - 63_000, now - 65_000]);
  expect(noted).toEqual([{ agent: 'paint', delay: { ms: 4_000, at: now } }]);
});

test('replies that come at once, and batches of messages that came before, are not', async () => {
  const { clock, noted, notes } = scheduler();
  await notes.received(paint, [clock.now() - 100]);
  await notes.received(paint, []);
  expect(noted).toEqual([]);
});

test('the same delay is noted every two seconds, for each agent', async () => {
  const { clock, noted, notes } = scheduler();
  for (let batch = 0; batch < 40; batch += 1) {
    await notes.received(paint, [clock.now() - 3_000]);
    await notes.received(agentName('print'), [clock.now() - 3_000]);
    clock.jump(100);
  }
  expect(noted.map(({ agent }) => agent)).toEqual(['paint', 'print', 'paint', 'print']);
});

test('a note that fails is logged, and handles the replies all the same', async () => {
  const { clock, log, notes } = scheduler({ isFailing: true });
  await notes.received(paint, [clock.now() - 3_000]);
  expect(log.lines).toMatchObject([{ event: 'reply-delay-unnoted' }]);
});
