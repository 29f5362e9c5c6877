/** Mistakes in how the instances of functions share limits, and in how orders wait for them. */
import { type Mistake, mistake } from './mistake.ts';

const rooms = 'test/distributed/limits/room-leases.test.ts';
const many = 'test/distributed/limits/many-holders.test.ts';
const roomLeases = 'lib/distributed/limits/room-leases.ts';

export const mistakesOfSharedLimits: readonly Mistake[] = [
  mistake(
    'lib/core/decide/settle-holds.ts',
    'test/roles/gated-transitions.test.ts',
    'an order that was claimed early does not ask at the next slot of a slow rate',
    'isSame && !opensSooner(before, decision.record, nowMs)',
    'isSame',
  ),
  mistake(
    'lib/roles/scheduler.ts',
    'test/roles/scheduler.test.ts',
    'the nudge for the end of a hold is acknowledged before it',
    "(outcome.reason === 'not-before' || outcome.reason === 'still-held')",
    "outcome.reason === 'not-before'",
  ),
  mistake(
    'lib/distributed/limits/limit-queues.ts',
    'test/distributed/limits/shared-limits.test.ts',
    'each order that finds a full room is written, to ask again',
    'isFirst && (own === undefined || own.askAt <= nowMs || why.askAt < own.askAt)',
    'isFirst',
  ),
  mistake(
    roomLeases,
    many,
    'room whose end could not be written stays taken',
    'if (await of(name).settle()) left.delete(name);',
    'left.delete(name);\n          await of(name).settle();',
  ),
  mistake(
    'lib/distributed/limits/gone-holders.ts',
    rooms,
    'up to half of the room stays unusable after a quiet time',
    "if (lasting.length === 0) return 'never';",
    "if (lasting.length >= 0) return 'never';",
  ),
  mistake(
    'lib/distributed/limits/gone-holders.ts',
    rooms,
    'the end of each call costs a write',
    'nowMs >= plenty.ifLeftMs',
    'nowMs >= 0',
  ),
  mistake(
    roomLeases,
    rooms,
    'a release that defines another number of calls at once does not count those of the former one',
    'at === 0 ? name',
    'count === 1 ? name',
  ),
  mistake(
    roomLeases,
    rooms,
    'two releases divide their calls at once by other shares',
    'Math.min(itemHoldersMax, Math.max(0, defined - at * itemHoldersMax))',
    'Math.floor((defined + at) / count)',
  ),
  mistake(
    roomLeases,
    rooms,
    'an order that comes is refused by what was known of the room long ago',
    'if (isHalfUsed(share) && isOlder(item.readAt(), askAgainMs, nowMs)) await item.look(nowMs);',
    '',
  ),
  mistake(
    'lib/distributed/any-queue.ts',
    'test/distributed/any-queue.test.ts',
    'all new instances send to the same queue',
    'Math.floor(random.next() * ordered.length)',
    'Math.floor(random.next())',
  ),
  mistake(
    'lib/distributed/agent-load.ts',
    'test/distributed/shared-gates.test.ts',
    'a request that is not sent keeps its part of the ramp of a recovering service',
    'afterUnsent(copy.current(),',
    'afterNoCall(copy.current(),',
  ),
  mistake(
    'lib/core/decide/settle-holds.ts',
    'test/aws/held-key.test.ts',
    'an order with two held steps waits for the first of them only',
    'steps[turn % steps.length]',
    'steps[0]',
  ),
  mistake(
    'lib/core/decide/settle-holds.ts',
    'test/aws/held-key.test.ts',
    'a step does not start because another one of its order waits for a circuit',
    'inTurn(probes, probed) : inTurn(served, revision - probed)',
    'inTurn(probes, probed) : inTurn(waiting, revision - probed)',
  ),
  mistake(
    'lib/core/decide/settle-holds.ts',
    'test/aws/held-key.test.ts',
    'a step that waits for a circuit is no probe where another one of its order waits for a limit',
    'revision % probeEvery === 0 ? inTurn(probes, probed) :',
    'revision < 0 ? inTurn(probes, probed) :',
  ),
  mistake(
    'lib/core/model/limits.ts',
    'test/distributed/limits/shared-limits.test.ts',
    'the largest request has no room for its slots',
    'slotsBytesMax: 6 * KIB',
    'slotsBytesMax: 2 * KIB',
  ),
  mistake(
    'lib/roles/recovery/deadline-checks.ts',
    'test/roles/recovery/deadline-checks.test.ts',
    'a deadline check that comes before its time is the last one',
    'nameOf(next) === nameOf(check)',
    'nameOf(next) === null',
  ),
  mistake(
    'lib/aws/queues/queue-url.ts',
    'test/aws/hide-messages.test.ts',
    'the queues of all partitions but one have the same host',
    "['aws-eusc', 'amazonaws.eu'],",
    '',
  ),
];
