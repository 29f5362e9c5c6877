/** Mistakes of orders that wait for long: their records grow, or they wait for something else. */
import { type Mistake, mistake } from './mistake.ts';

const hold = 'test/core/hold.test.ts';
const holdStep = 'lib/core/decide/hold-step.ts';

export const mistakesOfLongWaits: readonly Mistake[] = [
  mistake(
    'lib/core/decide/decide.ts',
    hold,
    'each entry of the history names all steps that are still held',
    "const hasAll = stillHeld.length === 0 || entry.type === 'held';",
    'const hasAll = true;',
  ),
  mistake(
    'lib/core/decide/decide.ts',
    hold,
    'the history does not say which held steps began',
    '...(!hasAll && { begun: begunOf(draft) }),',
    '',
  ),
  mistake(
    'lib/core/view/replay.ts',
    hold,
    'a replay starts the steps that stayed held',
    'const stillHeld = begun === undefined ? [] : heldStill(before, begun, entry.at);',
    'const stillHeld: [] = [];',
  ),
  mistake(
    holdStep,
    hold,
    'an outage of the platform is a part of a hold',
    'lateMs > limits.holdLateMaxMs ? since + lateMs : since',
    'lateMs > limits.holdLookMaxMs ? since + lateMs : since',
  ),
  mistake(
    holdStep,
    hold,
    'a step is asked for later than its gate says now',
    'if (hold.until < until) return false;',
    '',
  ),
  mistake(
    holdStep,
    hold,
    'a hold of a clock that went back since is kept',
    'if (leftMs <= 0 || leftMs > limits.holdLookMaxMs || since > draft.nowMs) return false;',
    'if (leftMs <= 0) return false;',
  ),
  mistake(
    holdStep,
    hold,
    'a held undo waits for the doubt of another step',
    'if (!isHeld) release(draft, doubtEndsAt);',
    'release(draft, doubtEndsAt);',
  ),
  mistake(
    holdStep,
    hold,
    'an order with a held undo is not asked for when a doubt ends',
    'if (progress.until > doubtEndsAt) {',
    'if (progress.until < 0) {',
  ),
  mistake(
    'lib/core/decide/decide.ts',
    'test/core/room.test.ts',
    'an order whose record is full of history stops',
    'return hasRoom(event, short.record) ? short : decideFull(record, event, known, nowMs);',
    'return decideFull(record, event, known, nowMs);',
  ),
  mistake(
    'lib/roles/transitions/gated-decision.ts',
    'test/runtime/singleton.test.ts',
    'only a sweep asks again for an order that waits for its turn',
    'return areNudged && waitsForGates(record)',
    'return waitsForGates(record)',
  ),
  mistake(
    'lib/http/routes/event-routes.ts',
    'test/http/events.test.ts',
    'a reader of a history that was shortened gets no more entries',
    'if (sent > latest) sent = latest - 1;',
    '',
  ),
];
