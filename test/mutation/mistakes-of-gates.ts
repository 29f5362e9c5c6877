/** Mistakes in the gates of agents and pools in one process. */
import { type Mistake, mistake } from './mistake.ts';

const bucket = 'lib/in-process/limits/limit-bucket.ts';
const circuits = 'test/in-process/pool-circuits.test.ts';

export const mistakesOfGates: readonly Mistake[] = [
  mistake(
    'lib/in-process/limits/calls-ahead.ts',
    circuits,
    'a step that waits elsewhere keeps its slot from others of its key',
    'dropPassed(waiting, nowMs);',
    '',
  ),
  mistake(
    bucket,
    circuits,
    'a timer comes again and again for the slot of a step that waits elsewhere',
    'if (!rate.isIdle(nowMs)) ',
    '',
  ),
  mistake(
    bucket,
    'test/runtime/limits.test.ts',
    'steps that passed their rate long ago begin together',
    'isReady: () => own?.isExpected(clock.now()) === true || isSoon(clock.now()),',
    'isReady: () => isSoon(clock.now()) || true,',
  ),
  mistake(
    'lib/in-process/limits/room-of-waiting.ts',
    'test/in-process/pool-circuits.test.ts',
    'another member of the pool ends the turn of a step',
    'if (hadSlot) turned.add(step);',
    'if (hadSlot) turned.add(step);\n      else turned.delete(step);',
  ),
  mistake(
    'lib/in-process/agent-gate.ts',
    'test/in-process/pool-circuits.test.ts',
    'a bound step that was the probe lately keeps those of its pool from probing',
    '!waiting.hasNext()',
    'waiting.size() === 0',
  ),
  mistake(
    'lib/in-process/pool-gate.ts',
    'test/in-process/pool-circuits.test.ts',
    'the probe of one member lets those of the others be made by the same step',
    'return states.has(\'half-open\') ? \'half-open\' : \'open\';',
    'return states.has(\'half-open\') ? \'closed\' : \'open\';',
  ),
  mistake(
    'lib/in-process/agent-gates.ts',
    'test/in-process/pool-circuits.test.ts',
    'steps of a pool that was drained keep their room in its limits',
    'rooms.yieldOf([...takers().heldBack]);',
    '',
  ),
  mistake(
    'lib/roles/transitions/gated-decision.ts',
    'test/roles/pooled-transitions.test.ts',
    'the slot of a request that the second decision does not send is kept',
    'isAgain: true',
    '...(byStep.length > 0 && { isAgain: true })',
  ),
  mistake(
    'lib/in-process/channels/redelivery.ts',
    'test/in-process/channels/local-channel.test.ts',
    'the pause before a redelivery does not grow',
    'const times = (failures.get(key) ?? 0) + 1',
    'const times = 1',
  ),
  mistake(
    'lib/in-process/channels/local-channel.ts',
    'test/in-process/channels/local-channel.test.ts',
    'each nudge of an order that fails waits for a redelivery of its own',
    '&& !redelivered.takes(message)',
    '',
  ),
  mistake(
    'lib/in-process/waiting-steps.ts',
    'test/in-process/pool-circuits.test.ts',
    'a clock that was set back delays the next probe of a step',
    'probeFrom - nowMs > waitMs ? nowMs : probeFrom',
    'waitMs < 0 ? nowMs : probeFrom',
  ),
  mistake(
    'lib/in-process/waiting-steps.ts',
    'test/in-process/pool-circuits.test.ts',
    'a clock that was set ahead delays the timer of a probe',
    '&& next.instant >= clock.now()',
    '',
  ),
  mistake(
    'lib/in-process/limits/limited-calls.ts',
    'test/in-process/limited-calls.test.ts',
    'a clock that was set back leaves the slots of calls where they were',
    'call.slot -= seenMs - nowMs',
    'call.slot -= 0',
  ),
  mistake(
    'lib/core/flow/recent-calls.ts',
    'test/core/recent-calls.test.ts',
    'a clock that was set back makes the rate of calls seem higher',
    'elapsedMs < 0',
    'elapsedMs < -1e12',
  ),
  mistake(
    'lib/core/model/history.ts',
    'test/http/events.test.ts',
    'a reader of events goes by the places of entries in a shortened history',
    '(place >= from ? more : 0)',
    '0',
  ),
  mistake(
    'lib/http/fault-problem.ts',
    'test/http/problems.test.ts',
    'data of a newer release are an internal error',
    'if (error instanceof NewerDataError) return problem(\'data-newer\', newerDetail);',
    '',
  ),
  mistake(
    'lib/in-process/delete-ended-orders.ts',
    'test/in-process/delete-ended-orders.test.ts',
    'a clock that jumps ahead deletes all ended orders',
    'store.deleteEnded(time.at - keepMs, time.at)',
    'store.deleteEnded(clock.now() - keepMs, clock.now())',
  ),
  mistake(
    'lib/in-process/delete-ended-orders.ts',
    'test/in-process/delete-ended-orders.test.ts',
    'a start follows a clock that is a month ahead',
    'trustedAtStart(store.newestSubmittedAt(), clock.now())',
    'trustedAtStart(null, clock.now())',
  ),
];
