/** A client of the API for browsers and servers, typed by the workflows. It depends on no package. */
import type { Workflow } from '#core/definition/workflow-definition.ts';
import { isObject } from '#core/model/json.ts';
import type { ProcessState } from '#core/model/record.ts';
import type { ListDocument } from '#http/schemas.ts';
import { ApiError, unknownAnswer } from './api-error.ts';
import { type ClientOrder, clientOrder, pollMinMs } from './client-order.ts';
import { newKey } from './new-key.ts';
import { checkNumber } from './number-check.ts';
import { type ClientCallOptions, type RequestOptions, requests } from './requests.ts';
import {
  type ClientOrderToSubmit,
  type ClientOutcome,
  type OrderOptions,
  submitMany,
} from './submit-many.ts';

/** The workflows of a Reeve by their names: `{ shop: typeof shop }`. */
export type Workflows = Readonly<Record<string, Workflow<unknown, unknown>>>;

type Documents<Of> =
  Of extends Workflow<infer Submitted, infer Outputs>
    ? { submitted: Submitted; outputs: Outputs }
    : never;

/** Options of {@link reeveClient}. */
export interface ReeveClientOptions extends RequestOptions {
  /** The longest time between two looks at an order that is waited for, ms, from 50 to an hour. Default 1 s. */
  readonly pollMaxMs?: number;
}

/** Options of a submission. */
export interface ClientSubmitOptions extends ClientCallOptions, OrderOptions {}

/** A page of orders. */
export interface ClientListOptions extends ClientCallOptions {
  readonly state?: ProcessState;
  readonly correlationId?: string;
  /** From 1 to 200. Default 50. */
  readonly limit?: number;
  /** As the page before returned it. */
  readonly cursor?: string;
}

/** See {@link reeveClient}. */
export interface ReeveClient<Of extends Workflows> {
  /**
   * Submits an order; resolves when it is stored.
   *
   * @throws {ApiError}; the reason of the signal, when it aborts
   */
  submit<Name extends keyof Of & string>(
    workflow: Name,
    details: Documents<Of[Name]>['submitted'],
    options?: ClientSubmitOptions,
  ): Promise<ClientOrder<Documents<Of[Name]>['outputs']>>;
  /**
   * Submits any number of orders, up to 100 in one request; resolves with one outcome for each, in the same sequence. What is
   * refused for now, or not answered, is sent again with the same keys. It does not reject for orders that are not accepted, so
   * look at each outcome.
   *
   * @throws the reason of the signal, when it aborts
   */
  submitMany<Name extends keyof Of & string>(
    workflow: Name,
    orders: readonly ClientOrderToSubmit<Documents<Of[Name]>['submitted']>[],
    options?: ClientCallOptions,
  ): Promise<readonly ClientOutcome<Documents<Of[Name]>['outputs']>[]>;
  /** An order that was submitted before. */
  order<Name extends keyof Of & string>(
    workflow: Name,
    id: string,
  ): ClientOrder<Documents<Of[Name]>['outputs']>;
  /** Newest first. @throws {ApiError} */
  list(options?: ClientListOptions): Promise<ListDocument>;
}

/**
 * Makes a client:
 *
 * ```ts
 * const reeve = reeveClient<{ shop: typeof shop }>({ url: 'https://reeve.example.com', token });
 * const order = await reeve.submit('shop', { cents: 500 });
 * const result = await order.result({ signal: AbortSignal.timeout(60_000) });
 * ```
 *
 * @throws {ApiError} `url-invalid`, `option-range`, `options-invalid`
 */
export function reeveClient<Of extends Workflows>(options: ReeveClientOptions): ReeveClient<Of> {
  checkNames(options);
  const { request, tries } = requests(options);
  const { pollMaxMs = 1_000 } = options;
  checkNumber('pollMaxMs', pollMaxMs, { from: pollMinMs, to: 3_600_000 });
  return {
    async submit(workflow, details, { key, signal, ...rest } = {}) {
      const answer = await request({
        method: 'POST',
        path: '/orders',
        headers: { 'idempotency-key': key ?? newKey() },
        body: { workflow, details, ...rest },
        isRepeatable: true,
        signal,
      });
      if (isObject(answer) && typeof answer['orderId'] === 'string') {
        const isSkipped = answer['skipped'] === true;
        return clientOrder(request, { workflow, id: answer['orderId'], isSkipped, pollMaxMs });
      }
      throw unknownAnswer();
    },
    submitMany: (workflow, orders, { signal } = {}) =>
      submitMany({ request, tries, workflow, pollMaxMs, signal }, orders),
    order: (workflow, id) => clientOrder(request, { workflow, id, isSkipped: false, pollMaxMs }),
    async list({ signal, ...query } = {}) {
      const words = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      );
      const path = `/orders?${words}`;
      const answer = await request({ method: 'GET', path, isRepeatable: true, signal });
      if (isList(answer)) return answer;
      throw unknownAnswer();
    },
  };
}

const optionNames = {
  url: true,
  token: true,
  fetch: true,
  retryForMs: true,
  pollMaxMs: true,
} satisfies Record<keyof ReeveClientOptions, true>;

/** A misspelt option would have no effect. @throws {ApiError} `options-invalid` */
function checkNames(options: ReeveClientOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown === undefined) return;
  const known = Object.keys(optionNames).join(', ');
  throw new ApiError(`\`${unknown}\` is not an option of reeveClient: they are ${known}.`, {
    ...{ code: 'options-invalid', status: null },
  });
}

const isList = (answer: unknown): answer is ListDocument =>
  isObject(answer) && Array.isArray(answer['orders']) && 'cursor' in answer;
