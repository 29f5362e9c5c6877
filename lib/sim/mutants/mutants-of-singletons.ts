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
    'return placed(order.now(), before, [...left, orderId], {',
    'return placed(order.now(), before, [orderId, ...left], {',
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
  inCore(
    'take an order that has stopped for one that has ended',
    'model/record',
    "processState === 'Processed' || processState === 'Undone';",
    "processState === 'Processed' || processState === 'Undone' || processState === 'Error';",
  ),
  mutant(
    'take an order that cannot be read for one that has ended',
    'live-order',
    "if (error instanceof UnreadableDataError) return 'unreadable';",
    'if (error instanceof UnreadableDataError) return null;',
  ),
  mutant(
    'leave an order out of its line that another one replaces, and do not cancel it',
    'find-place',
    'if (replaced === null) return place;',
    'if (replaced === null || replaced.record.revision > 0) return place;',
  ),
  mutant(
    'put an order that waits for later ones before the one that works',
    'find-place',
    'const place = { ...placed(at, before, [...left, orderId], turn), notBefore };',
    'const place = { ...placed(at, before, [orderId, ...left], turn), notBefore };',
  ),
  mutant(
    'cancel an order that works because another one waits for later ones',
    'line-keeper',
    'record.turn.replaces === true &&',
    '(record.turn.replaces === true || record.turn.since !== undefined) &&',
  ),
  mutant(
    'cancel the last order of a key as well',
    'line-keeper',
    'else if (replacesOthers(record)) await cancelOthers(ports, record);',
    "else if (record.turn.since !== undefined && record.processState === 'Pending') await cancelReadable(ports.operator, record.orderId, record.orderId);",
  ),
  inCore(
    'replace an order that has begun',
    'decide/singleton/debounce',
    'steps.every(({ attempt }) => attempt === 0);',
    'steps.every(({ attempt }) => attempt >= 0);',
  ),
  inCore(
    'count the latest begin of an order from its own submission',
    'decide/singleton/debounce',
    'replaced?.turn?.since ?? nowMs',
    'replaced === null ? nowMs : nowMs',
  ),
  inCore(
    'begin an order at the later of its two instants',
    'decide/singleton/debounce',
    'Math.min(nowMs + quietMs, since + atMostMs)',
    'Math.max(nowMs + quietMs, since + atMostMs)',
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
