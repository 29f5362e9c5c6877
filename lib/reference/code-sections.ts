/** Codes of problems, errors and faults, events of the log, and metrics. */
import { metricNamespace, metrics } from '#aws/metric-names.ts';
import { errorCodes } from '#core/model/error-codes.ts';
import { faultCodes } from '#core/model/fault-codes.ts';
import { problems } from '#http/problem.ts';
import { logEvents } from '#ports/log-events/log-events.ts';
import { code, markdownTable } from './markdown-table.ts';

/** What the caller of the code that raises an error of the class can do. */
const classTexts: Readonly<Record<keyof typeof errorCodes, string>> = {
  ReeveError: 'The message says what to do.',
  DefinitionError:
    'The definition of a workflow or an agent cannot work: correct it, then start again.',
  SubmissionError:
    'The submission was refused, and nothing was stored. Its `errors` name the fields that are wrong, `retryAfterMs` when it can be sent again.',
  CorruptDataError: 'No release of Reeve wrote these data. They are kept for an operator.',
  NewerDataError: 'This release leaves the data to the newer release that wrote them.',
  UnavailableError:
    'It may succeed later, and is tried again. Whether a write happened is not known.',
  RefusedError: 'It is refused again however often it is tried.',
  DeliveryError: 'A response channel did not accept a status message. It is tried again.',
  TransientFault:
    'A call of an agent failed, and is made again until the deadline of its step. The log event `call-failed` has the code: one that the code of the agent gave, one of these, or `http-503` where a service answered `httpService` with 503.',
  ApiError:
    'The client, `reeve/client`, throws it. Its `code` is that of the [problem document](#problem-codes) or, without one, one of these.',
  KitError: 'A test uses `testReeve` of `reeve/testing` in a way that cannot work.',
  ProofError: 'A proof of `reeve/testing` cannot begin, or go on.',
  SimulatedServiceError: 'A proof of `reeve/testing` has a model of a service that cannot work.',
};

const infoText =
  'Only an embedded Reeve logs these, with `REEVE_LOG=info`, or with the `log` of the application: the functions on AWS log from `warn`.';

export function codeSections(): string {
  return [
    '## Problem codes',
    'The API answers errors with an RFC 9457 problem document, whose `code` is one of these.',
    markdownTable(
      ['status', 'code', 'title'],
      Object.entries(problems).map(([name, [status, title]]) => [
        String(status),
        code(name),
        title,
      ]),
    ),
    '## Error codes',
    'The `code` of errors that Reeve raises, by the class of the error.',
    ...Object.entries(errorCodes).map(([name, codes]) => errorTable(name, codes)),
    '## Fault codes',
    'The `code` of a fault of an order or a step. All other codes, such as `declined`, come from an agent or its service: ask its owner what it means, then `resubmit` or `cancel` the order. A cancel is refused after an irreversible step and in an undo: `reeve show` prints the commands that Reeve accepts for the order.',
    markdownTable(
      ['code', 'meaning', 'what to do'],
      Object.entries(faultCodes).map(([name, { meaning, remedy }]) => [
        code(name),
        meaning,
        remedy,
      ]),
    ),
    '## Log events',
    'Each line of the log names an event. Fields in brackets are not in every line of the event.',
    ...(['error', 'warn', 'info'] as const).flatMap((level) => [
      `### Level ${code(level)}`,
      ...(level === 'info' ? [infoText] : []),
      eventTable(level),
    ]),
    '## Metrics',
    `Reeve publishes these metrics in the CloudWatch namespace ${code(metricNamespace)}; all others on the dashboard are those of AWS.`,
    markdownTable(
      ['metric', 'unit', 'meaning'],
      Object.entries(metrics).map(([name, { unit, meaning }]) => [code(name), unit, meaning]),
    ),
  ].join('\n\n');
}

function errorTable(name: string, codes: Readonly<Record<string, string>>): string {
  const texts: Readonly<Record<string, string>> = classTexts;
  return [
    `### ${code(name)}`,
    texts[name],
    markdownTable(
      ['code', 'meaning'],
      Object.entries(codes).map(([each, meaning]) => [code(each), meaning]),
    ),
  ].join('\n\n');
}

function eventTable(level: 'info' | 'warn' | 'error'): string {
  const rows = Object.entries(logEvents)
    .filter(([, entry]) => entry.level === level)
    .map(([name, entry]) => {
      const optional = 'optional' in entry ? entry.optional : [];
      const fields = [...entry.fields.map(code), ...optional.map((field) => `[${code(field)}]`)];
      return [code(name), entry.meaning, fields.join(', ')];
    });
  return markdownTable(['event', 'meaning', 'fields'], rows);
}
