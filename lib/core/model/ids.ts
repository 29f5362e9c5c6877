/**
 * Identifiers. Each is a string with a brand, so that an order id cannot be passed where a step
 * name is meant; the only way to one is the function of its name, which checks the form.
 */
import { assertThat, ReeveError } from './errors.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type OrderId = Branded<'OrderId'>;
export type StepName = Branded<'StepName'>;
export type AgentName = Branded<'AgentName'>;
export type WorkflowName = Branded<'WorkflowName'>;
export type SchedulerId = Branded<'SchedulerId'>;
export type WriteId = Branded<'WriteId'>;
export type IdempotencyKey = Branded<'IdempotencyKey'>;

/** What an agent is asked to do for a step. */
export type Action = 'perform' | 'undo';

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const ORDER_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const INSTANCE_ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** The function of its name, and the form as a schema takes it. */
function checked<Id extends string>(what: string, form: RegExp, allowed: string) {
  const is = (text: string): text is Id => form.test(text);
  const check = (text: string): Id => {
    if (is(text)) return text;
    throw new ReeveError(
      'id-malformed',
      `${JSON.stringify(text)} is not ${what}: ${allowed}. Choose a name of that form.`,
    );
  };
  return Object.assign(check, { pattern: form.source });
}

const nameForm = 'up to 40 of a-z, 0-9 and "-", beginning with a letter';
const idForm = 'up to 64 letters, digits, "_" and "-", beginning with a letter or digit';

/** @throws {ReeveError} `id-malformed` */
export const orderId = checked<OrderId>('an order id', ORDER_ID, idForm);
/** @throws {ReeveError} `id-malformed` */
export const stepName = checked<StepName>('a step name', NAME, nameForm);
/** @throws {ReeveError} `id-malformed` */
export const agentName = checked<AgentName>('an agent name', NAME, nameForm);
/** @throws {ReeveError} `id-malformed` */
export const workflowName = checked<WorkflowName>('a workflow name', NAME, nameForm);
/** @throws {ReeveError} `id-malformed` */
export const schedulerId = checked<SchedulerId>('a Scheduler id', INSTANCE_ID, idForm);
/** @throws {ReeveError} `id-malformed` */
export const writeId = checked<WriteId>('a write id', INSTANCE_ID, idForm);

/**
 * The key every try of a step carries (R8): `order/step`, for its undo `order/step/undo`. A second
 * generation, `order/step#2`, exists only after an operator's resubmit of a fault that excluded any
 * effect, because services replay the stored refusal of a key.
 */
export function idempotencyKey(
  order: OrderId,
  step: StepName,
  action: Action,
  generation: number,
): IdempotencyKey {
  const suffix = action === 'undo' ? '/undo' : generation > 1 ? `#${generation}` : '';
  const key = `${order}/${step}${suffix}`;
  assertThat(isKey(key), 'an idempotency key is made of an order id and a step name');
  return key;
}

const isKey = (text: string): text is IdempotencyKey => text.includes('/');
