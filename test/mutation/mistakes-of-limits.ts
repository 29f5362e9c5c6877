/** Mistakes in how the limits of calls are asked, and in when calls begin. */
import { type Mistake, mistake } from './mistake.ts';

const shared = 'lib/distributed/limits/shared-limits.ts';
const slots = 'lib/distributed/limits/call-slots.ts';
const queues = 'lib/distributed/limits/limit-queues.ts';
const counted = 'lib/distributed/limits/counted-limits.ts';
const asked = 'test/distributed/limits/shared-limits.test.ts';
const breaker = 'lib/distributed/limits/slotted-breaker.ts';
const calls = 'test/distributed/limits/slotted-breaker.test.ts';
const clock = 'lib/distributed/queue-clock.ts';

export const mistakesOfLimits: readonly Mistake[] = [
  mistake(
    slots,
    asked,
    'room is by the clock of the instance',
    'until: time.latest(request.completeBy)',
    'until: request.completeBy',
  ),
  mistake(
    clock,
    'test/distributed/queue-clock.test.ts',
    'late messages make the end of a lease earlier',
    'ms > clockToleranceMs ? at - ms : at - Math.min(0, ms)',
    'at - ms',
  ),
  mistake(
    clock,
    'test/distributed/queue-clock.test.ts',
    'a wrong clock makes the end of a lease later',
    'ms > clockToleranceMs ? at - ms : at - Math.min(0, ms)',
    'at - Math.min(0, ms)',
  ),
  mistake(
    'lib/roles/transitions/gated-decision.ts',
    'test/roles/late-answers.test.ts',
    'slots that came late are valid',
    '!hasSlots(answer) || !isLate',
    'true',
  ),
  mistake(
    slots,
    asked,
    'a call without a slot keeps its room',
    'leaveAll(ports.rooms, entered);\n      return leased;',
    'return leased;',
  ),
  mistake(
    slots,
    asked,
    'after a failed read a call keeps its room',
    'leaveAll(ports.rooms, entered);\n    throw error;',
    'throw error;',
  ),
  mistake(
    slots,
    asked,
    'a call keeps its room in one limit while it waits for another',
    'leaveAll(rooms, entered);',
    '',
  ),
  mistake(
    slots,
    asked,
    'a call has the earliest end of no slot',
    'startBy = Math.min(startBy, answer.startBy);',
    'startBy = answer.startBy;',
  ),
  mistake(
    slots,
    asked,
    'those that come are next',
    '!isNext && ports.queues.areWaiting(queue)',
    'false',
  ),
  mistake(
    shared,
    asked,
    'a heartbeat frees the room',
    "if (slots === undefined || result.kind === 'heartbeat') continue;",
    'if (slots === undefined) continue;',
  ),
  mistake(
    shared,
    asked,
    'the end of a hold is by the time of the queues',
    'queues.refused(agent, queue, why) + queueClock.aheadMs()',
    'queues.refused(agent, queue, why)',
  ),
  mistake(
    shared,
    asked,
    'a reply opens no queue',
    'for (const slot of slots.filter(isRoom)) queues.open(queueOfRoom(slot));',
    '',
  ),
  mistake(
    shared,
    asked,
    'what is not sent keeps its room',
    'leaveAll(rooms, slots);\n      if (startAt === undefined',
    'if (startAt === undefined',
  ),
  mistake(
    shared,
    asked,
    'what is not sent keeps its slot',
    'rates.giveBack(slot.name, { startAt, startBy })',
    'void [startAt, startBy, rates]',
  ),
  mistake(
    shared,
    asked,
    'a heartbeat of an earlier attempt moves the end',
    'one.name === step && one.attempt === attempt',
    'one.name === step',
  ),
  mistake(
    shared,
    asked,
    'a heartbeat moves the end by the clock of the instance',
    'time.latest(progress.completeBy)',
    'progress.completeBy',
  ),
  mistake(
    shared,
    asked,
    'any reply moves the end',
    "if (slots === undefined || result.kind !== 'heartbeat') return;",
    'if (slots === undefined) return;',
  ),
  mistake(
    queues,
    asked,
    'steps wait that do not',
    'if (own.agent === agent) all.delete(queue)',
    'if (own.agent !== agent) all.delete(queue)',
  ),
  mistake(
    queues,
    asked,
    'all that wait ask again together',
    'return isFirst ? why.askAt : Number.POSITIVE_INFINITY;',
    'return why.askAt;',
  ),
  mistake(
    queues,
    asked,
    'a queue is closed until its limit is free, and then for ever',
    '(all.get(queue)?.freeAt ?? 0) > clock.now()',
    'all.has(queue)',
  ),
  mistake(
    counted,
    asked,
    'wide limits are asked first',
    '[...shared, ...own]',
    '[...own, ...shared]',
  ),
  mistake(
    counted,
    asked,
    'all keys share a limit',
    "typeof key === 'symbol' ? 'failed' : hashOf(key, keyLength)",
    "typeof key === 'symbol' ? 'failed' : hashOf('', keyLength)",
  ),
  mistake(
    counted,
    asked,
    'instances give those who have room the same names',
    'export const holderName = (instance: string, number: number) =>',
    "export const holderName = (_: string, number: number, instance = '') =>",
  ),
  mistake(
    breaker,
    calls,
    'a call does not wait for its slot',
    'if (waitMs > 0) return refusal(waitMs);',
    '',
  ),
  mistake(
    breaker,
    calls,
    'a slot serves for each call of an attempt',
    'slots.set(request, null);',
    '',
  ),
  mistake(
    breaker,
    calls,
    'a late call is made in the slot that it missed',
    'slot === null || queueClock.now() > slot.startBy',
    'slot === null',
  ),
  mistake(
    breaker,
    calls,
    'an instance that does not know the time makes each call',
    'if (!queueClock.isKnown() && !isLoose) return giveBack(request);',
    '',
  ),
  mistake(
    clock,
    'test/distributed/queue-clock.test.ts',
    'the offset of the clock is added',
    'now: () => clock.now() - aheadMs()',
    'now: () => clock.now() + aheadMs()',
  ),
  mistake(
    clock,
    'test/distributed/queue-clock.test.ts',
    'the slowest message says the time',
    'latest = Math.min(latest ?? Number.POSITIVE_INFINITY, nowMs - at);',
    'latest = Math.max(latest ?? Number.NEGATIVE_INFINITY, nowMs - at);',
  ),
  mistake(
    clock,
    'test/distributed/queue-clock.test.ts',
    'the first batch tells the time well',
    'isKnown ||= !isFirst;',
    'isKnown = true;',
  ),
];
