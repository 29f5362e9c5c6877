/** Stores an order with a singleton key in its line, or answers what the rule of its workflow says (R29). */
import { type Singleton, singletonKeyOf } from '#core/definition/singleton.ts';
import type { AdmissionRefusal } from '#core/flow/admission-rule.ts';
import { errorFields, UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Digest, Ids, Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import { backOffMs, overtakenBackOff, pause } from '../delays.ts';
import type { SubmissionOutcome, SubmissionRequest } from '../submission.ts';
import { type FoundPlace, findPlace, lineOf, type Place } from './find-place.ts';

/** As many orders of a singleton key as its line holds have not ended: a refusal of submissions with this key alone. */
export interface LineFull {
  readonly code: 'singleton-full';
  readonly retryAfterMs: number;
}

/** Stores the order in its place, with what is written together with it; a refusal stores nothing. */
export type Create = (
  place?: FoundPlace,
) => Promise<'created' | 'exists' | 'overtaken' | AdmissionRefusal>;

/** The ports of {@link createInLine}. */
export interface CreateInLinePorts {
  readonly store: StateStore;
  readonly digest: Digest;
  readonly ids: Pick<Ids, 'writeId'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The order that is to be stored. `details`: as the schema of the workflow returned them. */
export interface KeyedOrder {
  readonly request: SubmissionRequest;
  readonly details: JsonValue;
  readonly orderId: OrderId;
}

/** When a submission to a full line may be sent again: nothing is known of how long the orders in it take, ms. */
const retryAfterMs = 30_000;

/**
 * Tries again while others change the line.
 *
 * @throws {UnavailableError} `line-contended` when they did so again and again
 */
export async function createInLine(
  ports: CreateInLinePorts,
  singleton: Singleton,
  { request, details, orderId }: KeyedOrder,
  create: Create,
): Promise<Exclude<Awaited<ReturnType<Create>>, 'overtaken'> | SubmissionOutcome> {
  const { store, clock, random } = ports;
  const { workflow, tenant, key: submissionKey } = request;
  const asked = singletonKeyOf(singleton, { details, tenant });
  if (asked.kind === 'failed') {
    ports.log.error('singleton-key-failed', { workflow, ...errorFields(asked.error) });
    return keyFailed(workflow);
  }
  if (asked.key === null) return notOvertaken(await create());
  const name = lineOf(ports.digest, workflow, tenant, asked.key);
  const order = { orderId, writeId: () => ports.ids.writeId(), now: () => clock.now() };
  for (let tries = 1; tries <= limits.conflictRetriesMax; tries += 1) {
    const place = await findPlace(store, singleton, name, order);
    if (place.kind !== 'place') {
      // What was accepted under its idempotency key is the answer (R2). It is looked for after the others, so that it was not
      // stored when they were live.
      const isRepeated = submissionKey !== null && (await store.records([orderId])).has(orderId);
      return isRepeated ? 'exists' : withoutPlace(place);
    }
    const stored = await create(place);
    if (stored !== 'overtaken') return stored;
    await pause(clock, backOffMs(overtakenBackOff, tries, random));
  }
  throw new UnavailableError(
    'line-contended',
    `The orders of one singleton key changed ${limits.conflictRetriesMax} times while an order was to join them. Nothing was stored: submit it again.`,
  );
}

function withoutPlace(place: Exclude<Place, { readonly kind: 'place' }>): SubmissionOutcome {
  if (place.kind === 'full') return { kind: 'overloaded', code: 'singleton-full', retryAfterMs };
  const { orderId, processState } = place.by;
  return { kind: 'accepted', orderId, processState, skipped: true };
}

function notOvertaken(stored: Awaited<ReturnType<Create>>) {
  if (stored === 'overtaken') throw new TypeError('an order without a line cannot be overtaken');
  return stored;
}

const keyFailed = (workflow: string): SubmissionOutcome => ({
  kind: 'refused',
  code: 'singleton-key-failed',
  errors: [
    {
      field: 'details',
      message: `have no singleton key: the function \`singleton.key\` of workflow ${workflow} throws for them, or returns neither a text nor null. Correct the details, or deploy a version with a function that works for them`,
    },
  ],
});
