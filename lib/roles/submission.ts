/** The submission: turns an accepted document into order and process record, in one write (R1, R2). */
import { type FieldError, fieldErrors } from '#core/codec/field-errors.ts';
import { isJsonWithin } from '#core/codec/json-size.ts';
import { submittedDetails } from '#core/codec/submitted-details.ts';
import { firstCommands, submitted } from '#core/decide/submit.ts';
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { AdmissionRefusal } from '#core/flow/admission-rule.ts';
import type { Submit } from '#core/model/event.ts';
import { orderId as checkedOrderId, type OrderId } from '#core/model/ids.ts';
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Command } from '#core/model/message.ts';
import type { Order, Priority, ProcessState } from '#core/model/record.ts';
import type { Admission } from '#ports/admission.ts';
import type { Channels } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Digest, Ids, Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import { ordersOf } from './orders-of.ts';
import { sendCommands } from './send-commands.ts';
import { type Create, createInLine, type LineFull } from './singleton/create-in-line.ts';
import type { FoundPlace } from './singleton/find-place.ts';

/** One document to be accepted as an order. */
export interface SubmissionRequest {
  /** The name of a workflow; its latest version is used. */
  readonly workflow: string;
  readonly details: JsonValue;
  readonly priority: Priority;
  readonly tenant: string | null;
  /** The name of a registered response channel, never an address; null: no status messages. */
  readonly replyTo: string | null;
  /** The submitter's name for the order; every status message and event contains it. */
  readonly correlationId: string | null;
  /** The submitter's idempotency key; null: every call is a new order. */
  readonly key: string | null;
}

/** The result of a submission. */
export type SubmissionOutcome =
  | {
      readonly kind: 'accepted';
      readonly orderId: OrderId;
      readonly processState: ProcessState;
      /** It is an earlier order of the same singleton key, which has not ended: nothing was stored. */
      readonly skipped?: true;
      /** An earlier submission with the same key has stored it. */
      readonly isRepeated?: true;
    }
  | {
      readonly kind: 'refused';
      readonly code:
        | 'workflow-unknown'
        | 'details-invalid'
        | 'reply-to-unknown'
        | 'key-reused'
        | 'singleton-key-failed';
      readonly errors: readonly FieldError[];
    }
  /** Too much work waits. Nothing is stored, and the same submission is accepted later (R28). */
  | ({ readonly kind: 'overloaded' } & (AdmissionRefusal | LineFull));

/** Accepts or refuses submissions. */
export interface Submission {
  /**
   * Accepted only when order and record are durable; rejects with the error of the store, or of a schema that throws.
   *
   * @param by who submits; stored in the history, and no part of the content that the idempotency key identifies
   */
  submit(request: SubmissionRequest, by: string): Promise<SubmissionOutcome>;
}

/** The ports of {@link submission}. */
export interface SubmissionPorts {
  readonly store: StateStore;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly random: Random;
  readonly log: Log;
  readonly registry: WorkflowRegistry;
  /** Names of the registered response channels. */
  readonly responseChannels: readonly string[];
  /** Refuses orders that would wait for too long. Default: every order is accepted. */
  readonly admission?: Admission;
}

/** Makes the submission role. */
export function submission(ports: SubmissionPorts): Submission {
  return {
    async submit(request, by) {
      const definition = ports.registry.latest(request.workflow);
      if (definition === undefined) return unknownWorkflow(request, ports.registry);
      if (request.replyTo !== null && !ports.responseChannels.includes(request.replyTo)) {
        const known = ports.responseChannels.join(', ') || 'none';
        return refused('reply-to-unknown', [
          {
            field: 'replyTo',
            message: `is not a registered response channel (registered: ${known})`,
          },
        ]);
      }
      const details = submittedDetails(definition, request.details);
      if (!details.success) {
        return refused(
          'details-invalid',
          fieldErrors(details.error, { path: ['details'], whole: 'details' }),
        );
      }
      const { detailsBytesMax } = limits;
      if (!isJsonWithin(details.data, detailsBytesMax)) {
        const message = `has more than ${detailsBytesMax} bytes after the workflow's schema was applied`;
        return refused('details-invalid', [{ field: 'details', message }]);
      }
      return accept(ports, definition, { request, details: details.data, by });
    },
  };
}

interface Checked {
  readonly request: SubmissionRequest;
  /** The output of the workflow's schema. */
  readonly details: JsonValue;
  readonly by: string;
}

async function accept(
  ports: SubmissionPorts,
  definition: WorkflowDefinition,
  { request, details, by }: Checked,
): Promise<SubmissionOutcome> {
  const { store, clock, ids } = ports;
  const nowMs = clock.now();
  const { key, priority, tenant, replyTo, correlationId } = request;
  const digest = key === null ? '' : ports.digest(content(request));
  const orderId = key === null ? ids.orderId() : keyedOrderId(ports.digest, tenant, key);
  const from = { orderId, priority, tenant, replyTo, correlationId };
  const event = { type: 'submit', by, ...from } as const;
  const writeId = ids.writeId();
  let commands: readonly Command[] = [];
  const create: Create = (place) => {
    const submittedAt = place?.at ?? nowMs;
    const order: Order = { orderId, details, digest, submittedAt };
    const first = submitted(withStart(event, place), definition, submittedAt, writeId, place?.turn);
    commands = [...first.commands, ...(place?.commands ?? [])];
    return admitted(ports, request, () => store.create(order, first.record, place?.change));
  };
  const { singleton } = definition;
  const stored =
    singleton === undefined
      ? await create()
      : await createInLine(ports, singleton, { request, details, orderId }, create);
  if (typeof stored === 'object') {
    if ('kind' in stored) return stored;
    // What was accepted once is accepted, however often it is sent and however much waits now.
    const isKnown = key !== null && (await store.records([orderId])).has(orderId);
    return isKnown ? repeated(ports, orderId, digest) : { kind: 'overloaded', ...stored };
  }
  if (stored === 'exists') return repeated(ports, orderId, digest);
  await sendCommands(ports, commands);
  return { kind: 'accepted', orderId, processState: 'Pending' };
}

const withStart = (event: Submit, place: FoundPlace | undefined): Submit =>
  place?.notBefore === undefined ? event : { ...event, notBefore: place.notBefore };

/** Writes an order unless it is refused. */
async function admitted<Written>(
  { admission }: SubmissionPorts,
  request: SubmissionRequest,
  write: () => Promise<Written>,
): Promise<Written | AdmissionRefusal> {
  if (admission === undefined) return write();
  const answer = admission.ask(request);
  const refusal = answer instanceof Promise ? await answer : answer;
  if (refusal !== null) return refusal;
  try {
    return await write();
  } finally {
    admission.settled(request);
  }
}

/** A null correlation id is left out, so that keys of releases without correlation ids still match. */
function content({ correlationId, ...rest }: SubmissionRequest): string {
  return canonicalJson(correlationId === null ? rest : { ...rest, correlationId });
}

/** Derived from the key, so that the condition of the store turns two submissions into one order (R2). */
function keyedOrderId(digest: Digest, tenant: string | null, key: string): OrderId {
  return checkedOrderId(`k${digest(canonicalJson([tenant, key])).slice(0, 40)}`);
}

/** The answer to a submission whose order is stored. */
async function repeated(
  ports: SubmissionPorts,
  orderId: OrderId,
  digest: string,
): Promise<SubmissionOutcome> {
  const { store, clock } = ports;
  const record = (await store.records([orderId])).get(orderId);
  const orders = await ordersOf(store, record === undefined ? [] : [record]);
  if (orders.get(orderId)?.digest !== digest || record === undefined) {
    return refused('key-reused', [
      { field: 'Idempotency-Key', message: 'was used for another submission: use a new key' },
    ]);
  }
  const { processState } = record;
  // Its first submission may have failed between write and send (R12).
  if (processState === 'Pending') await sendCommands(ports, firstCommands(record, clock.now()));
  return { kind: 'accepted', orderId, processState, isRepeated: true };
}

function unknownWorkflow(
  { workflow }: SubmissionRequest,
  registry: WorkflowRegistry,
): SubmissionOutcome {
  const known = [...new Set(registry.all.map(({ name }) => name))].join(', ') || 'none';
  return refused('workflow-unknown', [
    {
      field: 'workflow',
      message: `${JSON.stringify(workflow)} is not a known workflow (known: ${known})`,
    },
  ]);
}

function refused(
  code: Extract<SubmissionOutcome, { kind: 'refused' }>['code'],
  errors: readonly FieldError[],
): SubmissionOutcome {
  return { kind: 'refused', code, errors };
}
