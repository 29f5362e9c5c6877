/** Orders of this process for the code that submits them, with the types of their workflow. */
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { Workflow } from '#core/definition/workflow-definition.ts';
import { ReeveError } from '#core/model/errors.ts';
import { orderId as checkedOrderId, type OrderId } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import {
  hasEnded,
  type OrderFault,
  type Priority,
  type ProcessRecord,
} from '#core/model/record.ts';
import { outputsOf } from '#core/view/outputs.ts';
import type { OrderDocument } from '#http/schemas.ts';
import { orderView } from '#http/view.ts';
import type { StateStore } from '#ports/state-store.ts';
import { ordersOf } from '#roles/orders-of.ts';
import { SubmissionError } from '#roles/submission/submission-error.ts';
import type { Submission } from '#roles/submission.ts';
import { plainCopy } from '#runtime/copies/json-copy.ts';
import type { OrderChanges } from './order-changes.ts';
import { checkedDetails, checkedOptions } from './submission-checks.ts';

/** Options of a submission. */
export interface SubmitOptions {
  /**
   * The idempotency key: a second submission with it is the same order, and one with other content is refused. One that was answered
   * with an earlier order of its singleton key (`skip`) stored nothing, so its key is not known later. Up to 128 visible ASCII
   * characters without the comma. Default: none.
   */
  readonly key?: string;
  /** Default `normal`. */
  readonly priority?: Priority;
  /** Default: an order without a tenant. */
  readonly tenant?: string;
  /** The name of a response channel, which receives the status messages of the order. Default: none. */
  readonly replyTo?: string;
  /** The submitter's name for the order, in every message about it. Default: none. */
  readonly correlationId?: string;
  /** Who submits it, for the history. Default `local`. */
  readonly by?: string;
}

/** How an order ended, or that an operator has to deal with it. */
export type OrderResult<Outputs> =
  | {
      readonly state: 'Processed';
      /** By the names of the steps; `undefined` for one that was skipped. */
      readonly outputs: Outputs;
    }
  /** Every effect was undone. The code of `fault` is `cancelled` when the order was cancelled or replaced. */
  | { readonly state: 'Undone'; readonly fault: OrderFault | null }
  /** It waits for an operator, who may resubmit or cancel it. */
  | { readonly state: 'Error'; readonly fault: OrderFault | null };

/** Options of a wait for an order. */
export interface WaitOptions {
  /** Ends the wait, which then rejects with its reason; the order goes on. Default: none. */
  readonly signal?: AbortSignal;
}

/** One order. */
export interface LocalOrder<Outputs = Readonly<Record<string, JsonValue | undefined>>> {
  readonly id: OrderId;
  /** True: it is an earlier order with the same singleton key, which has not ended, and nothing was stored (`skip`). */
  readonly isSkipped: boolean;
  /**
   * Resolves when the order is Processed, Undone or in Error; at once when it is already.
   *
   * @throws {ReeveError} `order-unknown` when it is not stored, `workflow-mismatch` when it is of another workflow or version
   * @throws {UnavailableError} `store-closed` when Reeve is closed before; the reason of the signal, when it aborts
   */
  result(options?: WaitOptions): Promise<OrderResult<Outputs>>;
  /**
   * The order as the API shows it, now and after each change, until it is Processed or Undone. Changes that follow each other
   * closely are one.
   *
   * @throws as `result`
   */
  follow(options?: WaitOptions): AsyncGenerator<OrderDocument, void, void>;
  /**
   * The order as the API shows it, without the values that its workflow marks as sensitive.
   *
   * @throws {ReeveError} `order-unknown` when it is not stored
   */
  read(): Promise<OrderDocument>;
}

/** Submits orders, and finds them again. */
export interface LocalOrders {
  /**
   * Submits an order; resolves when it is on disk.
   *
   * @throws {SubmissionError} when it is refused; its `retryAfterMs` says whether it can be sent again
   * @throws {ReeveError} `details-schema-failed` when the schema of the details throws, which is the `cause`
   * @throws {UnavailableError} when the store cannot be written: whether the order is stored is known only with a `key`
   */
  submit<Submitted, Outputs>(
    workflow: Workflow<Submitted, Outputs>,
    details: NoInfer<Submitted>,
    options?: SubmitOptions,
  ): Promise<LocalOrder<Outputs>>;
  /**
   * An order that was submitted before, also by a former process.
   *
   * @throws {ReeveError} `id-malformed`
   */
  order<Outputs>(workflow: Workflow<unknown, Outputs>, id: string): LocalOrder<Outputs>;
}

/** The ports of {@link localOrders}. */
export interface LocalOrdersPorts {
  readonly submission: Submission;
  readonly store: StateStore;
  readonly registry: WorkflowRegistry;
  readonly changes: OrderChanges;
}

/** Makes the submission and the orders of one process. */
export function localOrders(ports: LocalOrdersPorts): LocalOrders {
  return {
    async submit(workflow, details, options = {}) {
      const { key, priority, tenant, replyTo, correlationId, by } = checkedOptions(options);
      const outcome = await ports.submission.submit(
        {
          workflow: workflow.name,
          details: checkedDetails(details),
          priority: priority ?? 'normal',
          tenant: tenant ?? null,
          replyTo: replyTo ?? null,
          correlationId: correlationId ?? null,
          key: key ?? null,
        },
        by ?? 'local',
      );
      if (outcome.kind !== 'accepted') throw new SubmissionError(outcome);
      return orderOf(ports, workflow, outcome.orderId, outcome.skipped === true);
    },
    order: (workflow, id) => orderOf(ports, workflow, checkedOrderId(id), false),
  };
}

function orderOf<Outputs>(
  { store, registry, changes }: LocalOrdersPorts,
  workflow: Workflow<unknown, Outputs>,
  id: OrderId,
  isSkipped: boolean,
): LocalOrder<Outputs> {
  const recordOf = async () => {
    const record = (await store.records([id])).get(id);
    if (record === undefined) throw unknownOrder(id);
    return record;
  };
  const documentOf = async (record: ProcessRecord) => {
    const order = (await ordersOf(store, [record])).get(id);
    if (order === undefined) throw unknownOrder(id);
    // The view has parts of the record.
    return plainCopy(orderView(record, order, registry));
  };
  /** The stored revision, and those that follow. */
  async function* revisions({ signal }: WaitOptions) {
    signal?.throwIfAborted();
    // It begins before the read, so that no change between the two is missed.
    const watch = changes.watch(id, signal);
    try {
      let latest = await recordOf();
      yield latest;
      for (;;) {
        const next = await watch.next();
        if (next.revision <= latest.revision) continue;
        latest = next;
        yield latest;
      }
    } finally {
      watch.stop();
    }
  }
  return {
    id,
    isSkipped,
    async result(options = {}) {
      for await (const record of revisions(options)) {
        const result = resultOf(workflow, record);
        if (result !== null) return result;
      }
      throw unknownOrder(id);
    },
    async *follow(options = {}) {
      for await (const record of revisions(options)) {
        yield await documentOf(record);
        if (hasEnded(record)) return;
      }
    },
    read: async () => documentOf(await recordOf()),
  };
}

/** Null: the order goes on. */
function resultOf<Outputs>(
  workflow: Workflow<unknown, Outputs>,
  record: ProcessRecord,
): OrderResult<Outputs> | null {
  const { processState, fault, steps } = record;
  switch (processState) {
    case 'Pending':
    case 'Processing':
      return null;
    case 'Undone':
    case 'Error':
      return { state: processState, fault: plainCopy(fault) };
    case 'Processed': {
      const outputs = plainCopy(outputsOf(steps.map(({ name, progress }) => [name, progress])));
      if (areOf(workflow, record, outputs)) return { state: processState, outputs };
      throw new ReeveError(
        'workflow-mismatch',
        `Order ${record.orderId} is of workflow ${record.workflow}@${record.workflowVersion}, not of ${workflow.name}@${workflow.version} as it is defined now: give the definition of the order.`,
      );
    }
  }
}

/** The Scheduler has checked each output by its step, so they are of this type where the definition is the same. */
function areOf<Outputs>(
  { name, version, fingerprint }: Workflow<unknown, Outputs>,
  record: ProcessRecord,
  _outputs: unknown,
): _outputs is Outputs {
  return (
    record.workflow === name &&
    record.workflowVersion === version &&
    record.fingerprint === fingerprint
  );
}

const unknownOrder = (id: OrderId) =>
  new ReeveError('order-unknown', `Order ${id} is not stored: it never was, or it was deleted.`);
