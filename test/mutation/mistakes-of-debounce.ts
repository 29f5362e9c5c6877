/** Mistakes in how one order of a singleton key replaces another one that has not begun. */
import { type Mistake, mistake } from './mistake.ts';

const rule = 'lib/core/decide/singleton/debounce.ts';
const ruled = 'test/core/debounce.test.ts';
const place = 'lib/roles/singleton/find-place.ts';
const placed = 'test/roles/debounce.test.ts';
const submission = 'lib/roles/submission.ts';
const writes = 'lib/embedded/writes.ts';
const stored = 'test/embedded/sqlite-store.test.ts';
const dynamo = 'lib/aws/store/dynamo-store.ts';
const table = 'test/aws/dynamo-store.test.ts';

export const mistakesOfDebounce: readonly Mistake[] = [
  mistake(
    rule,
    ruled,
    'an order that has begun is replaced',
    'steps.every(({ attempt }) => attempt === 0)',
    'steps.every(({ attempt }) => attempt >= 0)',
  ),
  mistake(
    rule,
    ruled,
    'an order that is being undone is replaced',
    "direction === 'forward' &&",
    "(direction === 'forward' || direction === 'undo') &&",
  ),
  mistake(
    rule,
    ruled,
    'an order that was submitted under another rule is replaced',
    'turn?.since !== undefined &&',
    'turn !== undefined &&',
  ),
  mistake(
    rule,
    ruled,
    'the latest begin counts from the last submission',
    'replaced?.turn?.since ?? nowMs',
    'replaced === null ? nowMs : nowMs',
  ),
  mistake(
    rule,
    ruled,
    'the wait of an order begins after its submission where a clock is ahead',
    'Math.min(replaced?.turn?.since ?? nowMs, nowMs)',
    '(replaced?.turn?.since ?? nowMs)',
  ),
  mistake(
    place,
    placed,
    'an order leaves its line and is not cancelled',
    'if (replaced === null) return place;',
    'if (replaced === null || replaced.record.revision > 0) return place;',
  ),
  mistake(
    place,
    placed,
    'an order that was replaced stays in its line',
    'replaced === null ? others : others.slice(0, -1)',
    'replaced === null ? others : others',
  ),
  mistake(
    place,
    placed,
    'the order that was replaced is not nudged',
    'commands: replaced.commands',
    'commands: []',
  ),
  mistake(
    place,
    placed,
    'an order that has ended is waited for',
    'return record === undefined || hasEnded(record)\n',
    'return record === undefined\n',
  ),
  mistake(
    submission,
    placed,
    'an order waits from its first try, which others came before',
    'place?.at ?? nowMs',
    'place === undefined ? nowMs : nowMs',
  ),
  mistake(
    submission,
    placed,
    'an order that waits for later ones begins at once',
    'place?.notBefore === undefined ? event',
    'place?.notBefore === undefined || place.commands.length >= 0 ? event',
  ),
  mistake(
    submission,
    placed,
    'a repeated submission asks for no claim',
    "if (processState === 'Pending') await sendCommands",
    "if (processState === 'Error') await sendCommands",
  ),
  mistake(
    writes,
    stored,
    'the embedded store replaces an order that has changed',
    'cache.get(next.orderId)?.record.revision === next.revision - 1',
    'cache.get(next.orderId) !== undefined',
  ),
  mistake(
    dynamo,
    table,
    'the DynamoDB store stores an order and does not replace the other one',
    '...(replaced === undefined ? [] : [{ Put: recordPut(options, replaced) }])',
    '...[]',
  ),
  mistake(
    dynamo,
    table,
    'the DynamoDB store replaces an order that has changed',
    "? 'Revision = :before AND attribute_not_exists(Details)'",
    "? 'Revision > :before OR Revision <= :before'",
  ),
];
