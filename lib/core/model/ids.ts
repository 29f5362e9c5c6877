/**
 * Identifiers: branded strings, so that the compiler refuses an order id where a step name is expected.
 * Only the function with the name of the brand creates one; it checks the form.
 */
import { assertThat, ReeveError } from './errors.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Up to 64 letters, digits, `_` and `-`. */
export type OrderId = Branded<'OrderId'>;
/** Unique within its workflow; up to 40 of a-z, 0-9 and `-`. */
export type StepName = Branded<'StepName'>;
/** Up to 40 of a-z, 0-9 and `-`. */
export type AgentName = Branded<'AgentName'>;
/** Up to 40 of a-z, 0-9 and `-`. */
export type WorkflowName = Branded<'WorkflowName'>;
/** The process that holds a lock; up to 64 characters. */
export type SchedulerId = Branded<'SchedulerId'>;
/** Identifies one write of a record, so that its writer recognises it (R12). */
export type WriteId = Branded<'WriteId'>;
/** Names the line of the orders with one singleton key: a hash, because keys are data of the user; 40 hexadecimal digits. */
export type LineName = Branded<'LineName'>;
/** See {@link idempotencyKey}. */
export type IdempotencyKey = Branded<'IdempotencyKey'>;

/** What a request asks for. */
export type Action = 'perform' | 'undo';

const ORDER_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const LINE_NAME = /^[0-9a-f]{40}$/;
const INSTANCE_ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** The form of names that are parts of others, such as those of queues: of steps, agents, workflows and response channels. */
export const nameForm = {
  pattern: /^[a-z][a-z0-9-]{0,39}$/,
  text: 'up to 40 of a-z, 0-9 and "-", of which the first is one of a-z',
} as const;

/** The function that checks an identifier, with the regular expression of its form for schemas. */
function checked<Id extends string>(what: string, form: RegExp, allowed: string) {
  // Code without types may pass anything, and a regular expression takes null for its name.
  const is = (text: string): text is Id => typeof text === 'string' && form.test(text);
  const check = (text: string): Id => {
    if (is(text)) return text;
    throw new ReeveError(
      'id-malformed',
      `${JSON.stringify(text)} is not ${what}: ${allowed}. Choose a name of that form.`,
    );
  };
  return Object.assign(check, { pattern: form.source });
}

const idForm = 'up to 64 letters, digits, "_" and "-", beginning with a letter or digit';

/** @throws {ReeveError} `id-malformed` */
export const orderId = checked<OrderId>('an order id', ORDER_ID, idForm);
/** @throws {ReeveError} `id-malformed` */
export const stepName = checked<StepName>('a step name', nameForm.pattern, nameForm.text);
/** @throws {ReeveError} `id-malformed` */
export const agentName = checked<AgentName>('an agent name', nameForm.pattern, nameForm.text);
/** @throws {ReeveError} `id-malformed` */
export const poolName = checked<AgentName>('a pool name', nameForm.pattern, nameForm.text);
/** The agent of a member of a pool, or the group of the members of a domain. @throws {ReeveError} `id-malformed` */
export const nameInPool = checked<AgentName>(
  'POOL-MEMBER or POOL--DOMAIN',
  nameForm.pattern,
  nameForm.text,
);
/** @throws {ReeveError} `id-malformed` */
export const limitName = checked('the name of a limit', nameForm.pattern, nameForm.text);
/** @throws {ReeveError} `id-malformed` */
export const workflowName = checked<WorkflowName>(
  'a workflow name',
  nameForm.pattern,
  nameForm.text,
);
/** @throws {ReeveError} `id-malformed` */
export const schedulerId = checked<SchedulerId>('a Scheduler id', INSTANCE_ID, idForm);
/** @throws {ReeveError} `id-malformed` */
export const writeId = checked<WriteId>('a write id', INSTANCE_ID, idForm);
/** @throws {ReeveError} `id-malformed` */
export const lineName = checked<LineName>('the name of a line', LINE_NAME, '40 of 0-9 and a-f');

/**
 * The idempotency key of every try of a step (R8): `order/step`, for its undo `order/step/undo`. A new
 * generation, such as `order/step#2` with its undo `order/step#2/undo`, begins when an operator resubmits after a fault
 * that excludes any effect, because services replay the stored refusal of a key; and when the step was undone to start
 * anew at another member of its pool. The undo of a generation has a key of its own: a service that got the first one
 * would take the second for it.
 */
export function idempotencyKey(
  order: OrderId,
  step: StepName,
  action: Action,
  generation: number,
): IdempotencyKey {
  const first = `${order}/${step}`;
  const perform = generation > 1 ? `${first}#${generation}` : first;
  const key = action === 'undo' ? undoKeyOf(perform) : perform;
  assertThat(isKey(key), 'an idempotency key consists of an order id and a step name');
  return key;
}

const undoKeyOf = (performKey: string) => `${performKey}/undo`;
const isKey = (text: string): text is IdempotencyKey => text.includes('/');
