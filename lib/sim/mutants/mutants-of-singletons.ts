/** Mistakes in what keeps one order of a singleton key at work (R29). */
import { type Mutant, mutantIn } from './mutant.ts';

const mutant = mutantIn('roles/singleton');
const inCore = mutantIn('core');

export const mutantsOfSingletons: readonly Mutant[] = [
  mutant(
    'begin an order before its turn',
    'has-turn',
    'if ((await liveOrder(store, other)) !== null) return false;',
    'await liveOrder(store, other);',
  ),
  inCore(
    'wait only for the order that was submitted right before',
    'flow/line',
    'return line.slice(0, Math.max(0, line.indexOf(id)));',
    'return line.slice(0, Math.max(0, line.indexOf(id))).slice(-1);',
  ),
  mutant(
    'let a new order pass those that wait',
    'find-place',
    'return placed(before, [...left, orderId], {',
    'return placed(before, [orderId, ...left], {',
  ),
  mutant(
    'store an order although one of its key is live',
    'find-place',
    'return by === null ?',
    'return by === null || by !== undefined ?',
  ),
  mutant(
    'empty the line when its first order ends',
    'line-keeper',
    'changeLine({ name: turn.line, before, after })',
    'changeLine({ name: turn.line, before, after: [] })',
  ),
  mutant(
    'take an order that has stopped for one that has ended',
    'live-order',
    "processState === 'Processed' || processState === 'Undone';",
    "processState === 'Processed' || processState === 'Undone' || processState === 'Error';",
  ),
  mutant(
    'take an order that cannot be read for one that has ended',
    'live-order',
    "if (error instanceof UnreadableDataError) return 'unreadable';",
    'if (error instanceof UnreadableDataError) return null;',
  ),
  inCore(
    'forget the key of an order at its first write',
    'decide/draft',
    '...(turn !== undefined && { turn }),',
    '',
  ),
  inCore(
    'count the wait for other orders as one for the agent',
    'decide/hold-step',
    'isForTurn({ gate }) ? limits.turnMaxMs : holdMaxMs',
    'holdMaxMs',
  ),
];
