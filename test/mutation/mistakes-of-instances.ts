/** Mistakes in what one of several instances knows, keeps and gives back. */
import { type Mistake, mistake } from './mistake.ts';

const coreTest = 'test/core/clock-set-back.test.ts';
const noAnswerTest = 'test/distributed/limits/no-answer.test.ts';

export const mistakesOfInstances: readonly Mistake[] = [
  mistake(
    'lib/core/flow/circuit.ts',
    coreTest,
    'a circuit waits until a clock that was set back has caught up',
    '(at - nowMs > probeEvery.maxMs ? nowMs : at)',
    'at',
  ),
  mistake(
    'lib/distributed/read-age.ts',
    'test/distributed/clock-set-back.test.ts',
    'what was read before the clock was set back stays new',
    'ageMs < 0 || ageMs >= ms',
    'ageMs >= ms',
  ),
  mistake(
    'lib/core/flow/endpoint-pool.ts',
    coreTest,
    'no endpoint can be called while all are ejected',
    'healthy.length > 0 ? healthy : members',
    'healthy',
  ),
  mistake(
    'lib/distributed/shared-circuit-breaker.ts',
    'test/distributed/shared-circuit-breaker.test.ts',
    'a probe is given up at the end of its attempt alone, which may be days ahead',
    'Math.min(Math.max(endBy, completeBy), functionEndsAt)',
    'Math.max(endBy, completeBy)',
  ),
  mistake(
    'lib/distributed/shared-circuit-breaker.ts',
    'test/distributed/shared-circuit-breaker.test.ts',
    'the probe of an instance whose clock is behind is given up at once',
    'queueClock.latest(clock.now() + functionMaxMs)',
    'clock.now() + functionMaxMs',
  ),
  mistake(
    'lib/roles/agent/deadline.ts',
    'test/roles/agent-runner.test.ts',
    'code that ignores its signal sends heartbeats for an attempt that was given back',
    'this.#hasEnded || this.#fault !== undefined',
    'this.#fault !== undefined',
  ),
  mistake(
    'lib/distributed/circuit-copy.ts',
    'test/distributed/shared-circuit-breaker.test.ts',
    'a write that was asked for before stores a probe without its end',
    'probe.epoch === own.epoch ? probe.until : 0',
    'until ?? 0',
  ),
  mistake(
    'lib/distributed/held-starter.ts',
    'test/distributed/held-starter.test.ts',
    'the end of a start moves the turn of the sources again',
    'for (const name of namesOf(agent)) next.tried(name, tried);',
    'turns.set(agent, (turns.get(agent) ?? 0) + 1);',
  ),
  mistake(
    'lib/distributed/next-held.ts',
    'test/distributed/held-starter.test.ts',
    'an order that was taken does not wait, although it may not have started',
    'own.hasClosed || own.orderIds.size > 0',
    'own.hasClosed || own.flows.size > 0',
  ),
  mistake(
    'lib/distributed/next-held.ts',
    'test/distributed/held-starter.test.ts',
    'an order whose gate was still closed counts as taken',
    'turns?.forget(tried.stillHeld);',
    '',
  ),
  mistake(
    'lib/distributed/limits/room-leases.ts',
    noAnswerTest,
    'room whose write was stored without an answer is kept',
    'item.doubted(want.holder);',
    '',
  ),
  mistake(
    'lib/distributed/limits/room-item.ts',
    'test/distributed/limits/room-leases.test.ts',
    'room of a call that another instance has extended is kept after its reply',
    'writesMax = { refused: 3,',
    'writesMax = { refused: 1,',
  ),
  mistake(
    'lib/distributed/limits/spare-slots.ts',
    noAnswerTest,
    'the slot of a slow rate is over when it begins',
    'startBy - startAt >= lastsFromMs ? startBy : startAt',
    'startAt',
  ),
];
