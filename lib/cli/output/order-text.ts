/** Formats one order: its attributes, its steps, its history. */

import type { OrderDocument, OrderFault, StepDocument } from '#cli/api/response-schemas.ts';
import type { Context } from '#cli/context.ts';
import { longestWaits, mayBeReplaced, mayBeReplacedText } from '#text/gate-text.ts';
import { faultText, historySentence } from '#text/history-text.ts';
import { relativeTime, relativeTimeOrNone } from '#text/relative-time.ts';
import { cancelRefusalText, waysOut } from '#text/ways-out.ts';
import { commandText } from './command-text.ts';
import type { Paint } from './paint.ts';
import { marked, stateText } from './state-text.ts';
import { alignedLines, tableLines } from './table.ts';

const indented = (line: string) => `  ${line}`;

/** What the text of an order depends on besides the order: the commands that it proposes call the same Reeve. */
type Surroundings = Pick<Context, 'paint' | 'addressOptions'>;

/** What `show` prints, without the history. */
export function orderLines(
  order: OrderDocument,
  nowMs: number,
  surroundings: Surroundings,
): string[] {
  const { paint } = surroundings;
  return [
    `Order ${paint('bold', order.orderId)}  ${stateText(order.processState, paint)}`,
    ...alignedLines(facts(order, nowMs, paint)).map(indented),
    ...troubleLines(order, surroundings),
    '',
    ...stepTable(order, nowMs, paint),
  ];
}

export function historyLines({ history }: OrderDocument, nowMs: number, paint: Paint): string[] {
  const rows = history.map((entry) => [
    paint('dim', relativeTime(entry.at, nowMs)),
    historySentence(entry),
  ]);
  return alignedLines(rows).map(indented);
}

/** The input and output of each step, as JSON. */
export function documentLines({ steps }: OrderDocument, paint: Paint): string[] {
  return Object.entries(steps).flatMap(([name, { input, output }]) => {
    const rows = [
      ...(input === null ? [] : [[paint('dim', 'input'), cut(input)]]),
      ...(output === null ? [] : [[paint('dim', 'output'), cut(output)]]),
    ];
    return rows.length === 0 ? [] : [`  ${name}`, ...alignedLines(rows).map((row) => `    ${row}`)];
  });
}

/** Longer documents are cut, characters; `--json` prints them whole. */
const jsonTextMax = 1_000;

function cut(json: string): string {
  if (json.length <= jsonTextMax) return json;
  const all = json.length.toLocaleString('en');
  return `${json.slice(0, jsonTextMax)} … (${all} characters; --json prints all)`;
}

/** The order on one line: its state and that of every step. */
export function orderLine(order: OrderDocument, paint: Paint): string {
  const steps = Object.entries(order.steps).map(([name, { state }]) => marked(state, name, paint));
  return [acceptedLine(order, paint), ...steps].join('  ');
}

/** An order that a submission was answered with. */
export function submittedLine(
  {
    skipped,
    ...order
  }: Parameters<typeof acceptedLine>[0] & { readonly skipped?: true | undefined },
  paint: Paint,
): string {
  const line = acceptedLine(order, paint);
  return skipped === true
    ? `${line}  skipped: this earlier order of the same singleton key has not ended`
    : line;
}

export function acceptedLine(
  { orderId, processState }: Pick<OrderDocument, 'orderId' | 'processState'>,
  paint: Paint,
): string {
  return `Order ${orderId}  ${stateText(processState, paint)}`;
}

/** The reason why the order will not become Processed, and what an operator can do. */
export function troubleLines(order: OrderDocument, surroundings: Surroundings): string[] {
  const { fault, processState } = order;
  const { paint } = surroundings;
  return [
    ...(fault === null ? [] : [`${paint('red', faultLabel(fault))} ${faultText(fault)}`]),
    ...(processState === 'Error' ? remedies(order, surroundings) : []),
  ].map(indented);
}

/** The commands that Reeve accepts, one a line. */
function remedies(order: OrderDocument, surroundings: Surroundings): string[] {
  const rows = waysOut(order).map(({ action, purpose }, at) => [
    at === 0 ? 'Next:' : 'or:',
    commandText(surroundings, action, [order.orderId]),
    purpose,
  ]);
  const refusal = cancelRefusalText(order);
  return [...alignedLines(rows), ...(refusal === null ? [] : [refusal])];
}

function faultLabel({ step, action }: OrderFault): string {
  if (step === null) return 'Fault:';
  return `Fault in ${action === 'undo' ? 'the undo of ' : ''}step ${step}:`;
}

function facts(order: OrderDocument, nowMs: number, paint: Paint): string[][] {
  const holds = longestWaits(Object.values(order.steps), order.turn?.behind ?? null);
  // The end of the longest hold is no time at which the order continues: it does so as soon as the agent accepts the call.
  const onlyWaits = order.processState === 'Pending' && holds.length > 0;
  const isLater = order.processState === 'Pending' && order.notBefore > nowMs && !onlyWaits;
  const deadline = order.direction === 'forward' && !isEnded(order) ? order.deadline : null;
  const rows = [
    ['workflow', `${order.workflow}, version ${order.workflowVersion}`],
    ['priority', order.priority],
    ...(order.tenant === null ? [] : [['tenant', order.tenant]]),
    ...(order.correlationId === null ? [] : [['correlation', order.correlationId]]),
    ['direction', order.direction],
    ['locked by', order.lockedBy ?? '-'],
    ...holds.map(({ text, since }) => [
      'waits for',
      `${text}, since ${relativeTime(since, nowMs)}`,
    ]),
    ...(onlyWaits ? [] : [['complete-by', relativeTimeOrNone(order.completeBy, nowMs)]]),
    ...(isLater ? [['not before', notBeforeText(order, nowMs)]] : []),
    ...(deadline === null ? [] : [['deadline', deadlineText(deadline, nowMs)]]),
    ['failures', `${order.failureCount} in all`],
    ['submitted', relativeTime(order.submittedAt, nowMs)],
    ['updated', relativeTime(order.updatedAt, nowMs)],
  ];
  return rows.map(([label = '', ...values]) => [paint('dim', label), ...values]);
}

/** When an order that is Pending continues, and why not before; its `notBefore` is not past. */
export function notBeforeText(order: OrderDocument, nowMs: number): string {
  const when = relativeTime(order.notBefore, nowMs);
  if (mayBeReplaced(order)) return `${when}, ${mayBeReplacedText}`;
  const inDoubt = Object.entries(order.steps).flatMap(([name, step]) =>
    step.inDoubt ? [name] : [],
  );
  return order.direction === 'undo' && inDoubt.length > 0
    ? `${when}: until then, a call of ${inDoubt.join(', ')} may be at work, whose effect is then undone`
    : when;
}

const isEnded = ({ processState }: OrderDocument) =>
  processState === 'Processed' || processState === 'Undone';

function deadlineText(
  { lateAt, onLate }: NonNullable<OrderDocument['deadline']>,
  nowMs: number,
): string {
  return `${relativeTime(lateAt, nowMs)}, then ${onLate === 'undo' ? 'undone' : 'held for an operator'}`;
}

const stepTitles = ['STEP', 'STATE', 'ATTEMPT', 'FAILURES', 'AGENT', 'COMPLETE-BY', 'FAULT'];

function stepTable({ steps }: OrderDocument, nowMs: number, paint: Paint): string[] {
  const rows = Object.entries(steps).map(([name, step]) => [
    name,
    stateText(step.state, paint),
    String(step.attempt),
    String(step.failures),
    step.agent,
    relativeTimeOrNone(step.completeBy, nowMs),
    stepFault(step),
  ]);
  return tableLines(stepTitles, rows, paint);
}

function stepFault({ fault, inDoubt, undoFirst }: StepDocument): string {
  if (undoFirst) return 'in doubt: it is undone before it starts anew';
  if (fault !== null) return faultText(fault);
  return inDoubt ? 'in doubt: it may have had an effect' : '';
}
