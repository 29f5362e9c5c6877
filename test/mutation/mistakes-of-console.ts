/** Mistakes in what operators read and type. */
import { type Mistake, mistake } from './mistake.ts';

const waysOut = 'test/http/ways-out.test.ts';
const gates = 'test/http/gates.test.ts';
const answers = 'test/console/read-answer.test.ts';
const following = 'test/console/following.test.ts';
const input = 'test/console/correction-input.test.ts';

export const mistakesOfConsole: readonly Mistake[] = [
  mistake(
    'lib/text/ways-out.ts',
    waysOut,
    'a cancel is advised that Reeve refuses',
    'order.actions[action] === null',
    "order.actions[action] === null || order.direction === 'forward'",
  ),
  mistake(
    'lib/cli/api/response-schemas.ts',
    waysOut,
    'of an older Reeve a cancel is taken for possible',
    "cancel: 'unknown'",
    'cancel: null',
  ),
  mistake(
    'lib/text/gate-text.ts',
    gates,
    'a gate without words of its own',
    'limit: (_, whose)',
    'limits: (_, whose)',
  ),
  mistake(
    'lib/text/history-text.ts',
    gates,
    'a call that was given back says that its circuit is open where another gate held it',
    'gateReason(entry.gate)',
    "gateReason('circuit')",
  ),
  mistake(
    'lib/console/api/read-answer.ts',
    answers,
    'a health of status 503 is a refusal',
    'status !== 503 || typeof document',
    'status !== 200 || typeof document',
  ),
  mistake(
    'lib/console/api/read-answer.ts',
    answers,
    'each 503 is an answer of Reeve',
    'return isProblem(document) || isHealth(status, document);',
    'return document !== null || status === 503;',
  ),
  mistake(
    'lib/console/api/live.ts',
    following,
    'a connection depends on what its followers read',
    'untracked(() => {',
    '(<Value>(work: () => Value) => work())(() => {',
  ),
  mistake(
    'lib/console/api/live.ts',
    following,
    'a page whose stream is refused is not polled',
    'if (isRefused) refreshSeen();',
    'if (isRefused) void 0;',
  ),
  mistake(
    'lib/console/order/details-text.ts',
    'test/console/details-text.test.ts',
    'each resubmit is shown as a correction',
    'corrected.length > 0',
    'corrected.length >= 0',
  ),
  mistake(
    'lib/console/api/live.ts',
    following,
    'the unread body of a refused stream stays open',
    'may never end by itself.\n    stop();',
    'may never end by itself.',
  ),
  mistake(
    'lib/console/api/api-client.ts',
    following,
    'a 503 that the page broke off is an outage',
    'init.signal?.aborted === true',
    'init.signal === null',
  ),
  mistake(
    'lib/console/api/api-client.ts',
    following,
    'the page waits for a 503 that never ends',
    'reader.cancel().catch',
    'Promise.resolve().catch',
  ),
  mistake(
    'lib/console/order/correction-input.ts',
    input,
    'a number is sent rounded',
    'json === null || inexactNumber(typed) !== null',
    'json === null',
  ),
  mistake(
    'lib/console/order/correction-input.ts',
    input,
    'digits for a text are sent as a number',
    "typeof present === 'string' && typeof",
    "typeof present === 'object' && typeof",
  ),
  mistake(
    'lib/console/order/correction-input.ts',
    input,
    'a number for a hidden number is sent as a text',
    ' && present !== redacted',
    '',
  ),
  mistake(
    'lib/cli/options/set-option.ts',
    'test/cli/orders.test.ts',
    'a number after := is rounded',
    'if (number === null) return text;',
    "if (number !== '') return text;",
  ),
  mistake(
    'lib/console/dialog/dialog-closed.ts',
    'test/console/dialog-closed.test.ts',
    'a prompt that must stay is gone after a second Escape',
    'if (onClose === undefined) dialog.showModal();\n  else onClose();',
    'onClose?.();',
  ),
  mistake(
    'lib/console/api/coalesced.ts',
    'test/console/words.test.ts',
    'the rest after a run is the one that was before it',
    'cancel = after(restMs(), rested);',
    'cancel = after(1_000, rested);',
  ),
];
