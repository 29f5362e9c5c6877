/** Mistakes where a process meets its system, its clients, and the code of its authors. */
import { type Mistake, mistake } from './mistake.ts';

const retries = 'test/cli/retry-after.test.ts';
const oddAnswers = 'test/client/odd-answers.test.ts';

const randomRequests = 'test/http/fuzz.test.ts';

export const mistakesOfEdges: readonly Mistake[] = [
  mistake(
    'lib/http/routes/event-routes.ts',
    randomRequests,
    'a stream begins before the first entry when its Last-Event-ID is no number of one',
    'entryNumber.safeParse(lastEventId).data ?? 0',
    'entryNumber.safeParse(lastEventId).data ?? -1',
  ),
  mistake(
    'lib/http/requests/json-body.ts',
    randomRequests,
    'a Content-Length below 0 is below the limit of a body',
    '/^\\d{1,15}$/.test(length)',
    '/\\d/.test(length)',
  ),
  mistake(
    'lambdas/config.ts',
    'test/lambdas/config.test.ts',
    'a count in the environment of a function may have any form of a number',
    'const count = wholeNumber(1, 1_000_000);',
    'const count = z.coerce.number().int().positive();',
  ),
  mistake(
    'lib/core/codec/field-errors.ts',
    'test/core/refusals.test.ts',
    'a list of errors has any number of them',
    'more === 0 && listed.length < errorsMax',
    'more === 0',
  ),
  mistake(
    'lib/core/codec/field-errors.ts',
    'test/core/refusals.test.ts',
    'a list of errors has any length',
    'length > errorsLengthMax',
    'length < 0',
  ),
  mistake(
    'lib/core/codec/submitted-details.ts',
    'test/core/refusals.test.ts',
    'all errors of large details are collected',
    '{ abortEarly: true }',
    '{ abortEarly: false }',
  ),
  mistake(
    'lib/core/codec/named-values.ts',
    'test/http/input.test.ts',
    'a correction of the field __proto__ is dropped',
    "Object.hasOwn(value, '__proto__')",
    "Object.hasOwn(value, 'constructor')",
  ),
  mistake(
    'lib/cli/output/command-text.ts',
    'test/cli/orders.test.ts',
    'the address in a proposed command is not quoted',
    '...addressOptions, ...words].map(quoted)',
    '...addressOptions, ...words.map(quoted)]',
  ),
  mistake(
    'lib/core/codec/cut-text.ts',
    'test/core/refusals.test.ts',
    'a name is cut within a character',
    "replace(/[\\uD800-\\uDBFF]$/, '')",
    "replace(/[\\uD800-\\uDBFF]{2}$/, '')",
  ),
  mistake(
    'lib/aws/queues/sqs-channel.ts',
    'test/aws/sqs-channel.test.ts',
    'a message that cannot be written keeps its batch from being sent',
    'unwritten.push(error);',
    'throw error;',
  ),
  mistake(
    'lib/roles/recovery/recover-page.ts',
    'test/roles/recovery/recover-page.test.ts',
    'the log of a failed recovery has the message of an error of other code',
    'loggedText(outcome.error)',
    'outcome.error instanceof Error ? outcome.error.message : loggedText(outcome.error)',
  ),
  mistake(
    'lib/runtime/local/request-turns.ts',
    'test/runtime/request-turns.test.ts',
    'a connection may have any number of requests that wait',
    'own.length === waitingMax',
    'own.length < 0',
  ),
  mistake(
    'lib/runtime/node/control-socket.ts',
    'test/runtime/data-commands.test.ts',
    'a socket is opened by its path, however long it is',
    '<= socketPathBytesMax',
    '> 0',
  ),
  mistake(
    'lib/runtime/command/start-command.ts',
    'test/runtime/start-command.test.ts',
    'alerts name the port of the configuration',
    'command.resolve(line);',
    "command.resolve(line.replace(/\\d+$/, '0'));",
  ),
  mistake(
    'lib/testing/prove/proof-subject.ts',
    'test/testing/proof-options.test.ts',
    'what the function orders returns in a world is not checked',
    'const details = drawnDetails(proof.orders, chance, workflow);\n      const request',
    'const details = proof.orders(chance, workflow.name, workflow.version);\n      const request',
  ),
  mistake(
    'lib/client/client-order.ts',
    oddAnswers,
    'a cancel is done when a server answers that is not Reeve',
    "if (!isObject(answer) || typeof answer['orderId'] !== 'string') throw unknownAnswer();",
    'if (answer === null) throw unknownAnswer();',
  ),
  mistake(
    'lib/client/requests.ts',
    oddAnswers,
    'the client follows a redirect',
    "redirect: 'manual'",
    "redirect: 'follow'",
  ),
  ...[oddAnswers, retries].map((test) =>
    mistake(
      'lib/text/retry-after.ts',
      test,
      'tries are used up at once after a Retry-After of 0',
      'Math.max(leastMs, Math.min(maxMs, firstMs * 2 ** tries))',
      'leastMs === 0 ? 0 : Math.min(maxMs, firstMs * 2 ** tries)',
    ),
  ),
  mistake(
    'lib/client/batches.ts',
    'test/client/submit-many.test.ts',
    'an order that refuses its request refuses all orders of it',
    'isOfOne && orders.length > 1',
    'isOfOne && orders.length > 100',
  ),
  mistake(
    'lib/client/batches.ts',
    'test/client/submit-many.test.ts',
    'a proxy with a smaller limit of a body refuses all orders of a request',
    "sent.code === 'json-malformed' || sent.status === 413",
    "sent.code === 'json-malformed'",
  ),
  mistake(
    'lib/cli/exit-code.ts',
    retries,
    'what is refused for now for too long is never tried again',
    'status === 408 || status === 429',
    'status === 408',
  ),
];
