/** One order, as the client sees it. */
import { isObject, type JsonValue } from '#core/model/json.ts';
import { outputsOf } from '#core/view/outputs.ts';
import type { OrderDocument } from '#http/schemas.ts';
import { ApiError, unknownAnswer } from './api-error.ts';
import { pause } from './call-limit.ts';
import type { ApiRequest, ClientCallOptions } from './requests.ts';

/** How an order ended, or that an operator has to deal with it. */
export type ClientResult<Outputs> =
  | {
      readonly state: 'Processed';
      /** By the names of the steps; `undefined` for one that was skipped. Sensitive values are `[redacted]`. */
      readonly outputs: Outputs;
    }
  /** Every effect was undone. The code of `fault` is `cancelled` when the order was cancelled or replaced. */
  | { readonly state: 'Undone'; readonly fault: OrderDocument['fault'] }
  /** It waits for an operator. */
  | { readonly state: 'Error'; readonly fault: OrderDocument['fault'] };

/** One order. Each method may throw {@link ApiError}, or the reason of its signal. */
export interface ClientOrder<Outputs> {
  readonly id: string;
  /** True: it is an earlier order with the same singleton key, which has not ended (`skip`). */
  readonly isSkipped: boolean;
  /** Resolves when the order is Processed, Undone or in Error. */
  result(options?: ClientCallOptions): Promise<ClientResult<Outputs>>;
  /** The order, now and after each change that is seen, until it is Processed or Undone. */
  follow(options?: ClientCallOptions): AsyncGenerator<OrderDocument, void, void>;
  read(options?: ClientCallOptions): Promise<OrderDocument>;
  /** Continues an order in Error. @param corrections new values for fields of its details, by dotted path */
  resubmit(
    corrections?: Readonly<Record<string, JsonValue>>,
    options?: ClientCallOptions,
  ): Promise<void>;
  /** No further step starts, and everything is undone. */
  cancel(options?: ClientCallOptions): Promise<void>;
}

interface ClientOrderOptions {
  readonly workflow: string;
  readonly id: string;
  readonly isSkipped: boolean;
  readonly pollMaxMs: number;
}

/** The first time between two looks; it grows, so short orders end after few looks, and long ones cause little load. */
export const pollMinMs = 50;
const pollGrowth = 1.5;

export function clientOrder<Outputs>(
  request: (request: ApiRequest) => Promise<unknown>,
  { workflow, id, isSkipped, pollMaxMs }: ClientOrderOptions,
): ClientOrder<Outputs> {
  const path = `/orders/${encodeURIComponent(id)}`;
  const read = async ({ signal }: ClientCallOptions = {}) => {
    const answer = await request({ method: 'GET', path, isRepeatable: true, signal });
    if (!isOrder(answer)) throw mismatch(`The answer for order ${id} is none of this version.`);
    if (answer.workflow === workflow) return answer;
    throw mismatch(`Order ${id} is of workflow ${answer.workflow}, not of ${workflow}.`);
  };
  async function* follow(
    isLast: (order: OrderDocument) => boolean,
    { signal }: ClientCallOptions = {},
  ) {
    let waitMs = pollMinMs;
    for (let seen = 0; ; ) {
      const order = await read({ signal });
      if (order.revision > seen) {
        seen = order.revision;
        waitMs = pollMinMs;
        yield order;
      }
      if (isLast(order)) return;
      await pause(Math.min(waitMs, pollMaxMs), signal);
      waitMs *= pollGrowth;
    }
  }
  const act = async (action: string, body: object, { signal }: ClientCallOptions = {}) => {
    const of = { method: 'POST', path: `${path}/${action}`, body, signal } as const;
    // Not repeated: the answer to a second one says that there is nothing to do any more.
    const answer = await request({ ...of, isRepeatable: false });
    if (!isObject(answer) || typeof answer['orderId'] !== 'string') throw unknownAnswer();
  };
  return {
    id,
    isSkipped,
    read,
    follow: (options) => follow(hasEnded, options),
    async result(options) {
      for await (const order of follow((each) => resultOf(each) !== null, options)) {
        const result = resultOf<Outputs>(order);
        if (result !== null) return result;
      }
      throw mismatch(`Order ${id} has no end.`);
    },
    resubmit: (corrections, options) =>
      act('resubmit', corrections === undefined ? {} : { set: corrections }, options),
    cancel: (options) => act('cancel', {}, options),
  };
}

const hasEnded = ({ processState }: OrderDocument) =>
  processState === 'Processed' || processState === 'Undone';

/** Null: the order goes on. */
function resultOf<Outputs>({
  processState,
  fault,
  steps,
}: OrderDocument): ClientResult<Outputs> | null {
  switch (processState) {
    case 'Pending':
    case 'Processing':
      return null;
    case 'Undone':
    case 'Error':
      return { state: processState, fault };
    case 'Processed': {
      const outputs = outputsOf(Object.entries(steps));
      return areOutputs<Outputs>(outputs) ? { state: processState, outputs } : null;
    }
  }
}

/** The Scheduler has checked each output by its step; that the workflow is this one is what the user of the client says. */
const areOutputs = <Outputs>(outputs: unknown): outputs is Outputs => isObject(outputs);

const isOrder = (answer: unknown): answer is OrderDocument =>
  isObject(answer) &&
  typeof answer['workflow'] === 'string' &&
  typeof answer['revision'] === 'number' &&
  typeof answer['processState'] === 'string' &&
  isObject(answer['steps']);

const mismatch = (message: string) =>
  new ApiError(message, { code: 'answer-unknown', status: null });
