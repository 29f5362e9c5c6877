/** Mistakes in what is known of replies that wait in their queues. */
import { type Mistake, mistake } from './mistake.ts';

const rule = 'lib/core/flow/reply-delay.ts';
const ruleTest = 'test/core/reply-delay.test.ts';
const notes = 'lib/distributed/reply-delay-notes.ts';
const notesTest = 'test/distributed/reply-delay-notes.test.ts';
const waiting = 'lib/roles/recovery/waiting-replies.ts';
const waitingTest = 'test/roles/recovery/waiting-replies.test.ts';
const leftTest = 'test/roles/recovery/left-alone.test.ts';
const item = 'lib/aws/store/health/dynamo-reply-delays.ts';
const itemTest = 'test/aws/dynamo-flow.test.ts';

export const mistakesOfReplyDelays: readonly Mistake[] = [
  mistake(
    rule,
    ruleTest,
    'a note counts for ever',
    'ageMs >= -notedEveryMs && ageMs <= countsForMs + ms',
    'ageMs >= -notedEveryMs',
  ),
  mistake(
    rule,
    ruleTest,
    'a note of a wrong clock counts',
    'ageMs >= -notedEveryMs && ageMs <= countsForMs + ms',
    'ageMs <= countsForMs + ms',
  ),
  mistake(
    notes,
    notesTest,
    'a delay by the clock of the instance',
    'queueClock.now() - mean',
    'clock.now() - mean',
  ),
  mistake(notes, notesTest, 'every batch is noted', 'noted.set(agent, delay);', ''),
  mistake(
    waiting,
    waitingTest,
    'a failure is counted although its reply may wait',
    'return isLeft ? null : event;',
    'return event;',
  ),
  mistake(
    waiting,
    waitingTest,
    'an order is left while the delay is not read',
    'left = left.filter(([place]) => (unknown.get(place)?.size ?? 0) > 0);',
    'left = [];',
  ),
  mistake(
    waiting,
    waitingTest,
    'the delay is read for each order',
    'known.set(one.agent, one);',
    '',
  ),
  mistake(
    'lib/roles/recovery/deadline-checks.ts',
    waitingTest,
    'a check that left an order alone is not sent again',
    '? laterCheck(record, check, nowMs)',
    '? null',
  ),
  mistake(
    'lib/core/decide/checks/deadline-check.ts',
    'test/core/deadline-check.test.ts',
    'a check that left an order alone is sent again every 2 s, and from when it came',
    'at: due + waitMs }',
    'at: nowMs + laterMs }',
  ),
  mistake(
    'lib/roles/recovery/sending-once.ts',
    'test/roles/recovery/sending-once.test.ts',
    'of checks in one batch each is sent',
    'await checks.send([...byName.values()]);',
    'await checks.send(messages);',
  ),
  mistake(
    'lib/roles/recovery/deadline-checks.ts',
    'test/roles/recovery/deadline-checks.test.ts',
    'a check that is delivered twice sends two',
    'sendingOnce(ports.checks)',
    'ports.checks',
  ),
  mistake(
    item,
    itemTest,
    'all agents have one note',
    'const item = await items.read(replyDelayKey(agent));',
    "const item = await items.read(replyDelayKey('paint'));",
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    leftTest,
    'a sweep that was refused a write counts as one where it left another call alone',
    '({ recovered, unwritten }: Recovered) => unwritten > 0 && recovered === 0;',
    '({ found, unwritten }: Recovered) => unwritten > 0 && unwritten === found;',
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    leftTest,
    'a sweep forgets the calls that it left alone',
    'const waitingFrom = isLast',
    'const waitingFrom = isLast ? null : isLast',
  ),
  mistake(
    'lib/roles/sweep-tick.ts',
    leftTest,
    'a tick finishes a shard whose late calls it left alone',
    ' && left.waitingFrom === null',
    '',
  ),
  mistake(
    'lib/core/decide/sweep-gaps.ts',
    leftTest,
    'an outage begins after the calls that were left alone',
    'Math.min(aliveAt, waitingFrom ?? aliveAt)',
    'aliveAt',
  ),
];
