/** A bulk action: finds its orders, waits for the confirmation, and runs. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { get, post } from '#console/api/api-client.ts';
import type { SummaryDocument } from '#console/api/documents.ts';
import { stay } from '#console/parts/location.ts';
import {
  type Act,
  type Action,
  conditionOf,
  fits,
  forEachOrder,
  type Meant,
  type Result,
  withResult,
} from './bulk.ts';
import { findOrders, type Start } from './find-orders.ts';

/** The orders of an action: a list, or a listing. */
export type Choice =
  | { readonly kind: 'these'; readonly orders: readonly SummaryDocument[] }
  | {
      readonly kind: 'all';
      readonly path: (cursor: string | null, limit: number) => string;
      /** Filters the listed orders. Default: all. */
      readonly accepts?: (order: SummaryDocument) => boolean;
    };

/** Orders per run, limited by the memory of a page; a further run takes the rest. */
const runMax = 10_000;

export interface BulkRun {
  readonly stage: 'finding' | 'failed' | 'asking' | 'running' | 'stopped' | 'out' | 'done';
  /** Orders to which the action applies. */
  readonly meant: number;
  /** Selected orders to which it does not apply. */
  readonly skipped: number;
  /** False when more orders match than one run takes. */
  readonly isComplete: boolean;
  /** True when {@link BulkControl.find} finds orders after those of this run. */
  readonly hasNext: boolean;
  readonly done: number;
  readonly refused: number;
  readonly results: readonly Result[];
}

const before: BulkRun = {
  stage: 'finding',
  meant: 0,
  skipped: 0,
  isComplete: true,
  hasNext: false,
  done: 0,
  refused: 0,
  results: [],
};

export interface BulkControl {
  readonly run: ReadonlySignal<BulkRun>;
  /** Starts, or continues after a stop. `body`: of each request; null: none. */
  readonly go: (body: unknown) => void;
  /** Finds the orders of the next run, or tries again after a failure. */
  readonly find: () => void;
  readonly stop: () => void;
}

/** @param asked the orders that were chosen when the action was asked for: later choices are for others */
export function useBulkRun(action: Action, asked: Choice): BulkControl {
  // A further run has a cursor, which is valid for the filters of the first one alone, and so for its instant.
  const { current: choice } = useRef(asked);
  const run = useSignal<BulkRun>(before);
  const left = useRef<Meant[]>([]);
  const isStopped = useRef(false);
  const change = (news: Partial<BulkRun>) => {
    run.value = { ...run.value, ...news };
  };
  const from = useRef<Start | null>(null);
  const choose = (orders: readonly SummaryDocument[], more: Partial<BulkRun>) => {
    left.current = [...orders];
    change({ stage: 'asking', meant: orders.length, ...more });
  };
  const find = async () => {
    if (choice.kind === 'these') {
      const orders = choice.orders.filter((order) => fits(action, order));
      return choose(orders, { skipped: choice.orders.length - orders.length });
    }
    isStopped.current = false;
    change(before);
    const found = await findOrders({
      ...choice,
      ...(from.current !== null && { from: from.current }),
      get,
      max: runMax,
      // An order that cannot be changed takes no place from one that can.
      fits: (order) => fits(action, order),
      onProgress: (meant) => change({ meant }),
      isStopped: () => isStopped.current,
    });
    if (isStopped.current) return;
    if (found.kind === 'failed') return change({ stage: 'failed' });
    const { orders, skipped, isComplete, next } = found;
    from.current = next;
    choose(orders, { skipped, isComplete, hasNext: next !== null });
  };
  useEffect(() => {
    isStopped.current = false;
    void find();
    // A closed dialog starts no further order.
    return () => {
      isStopped.current = true;
    };
  }, []);
  const go = async (body: unknown) => {
    isStopped.current = false;
    change({ stage: 'running' });
    const leave = stay();
    const onResult = (result: Result) => {
      const { done, refused, results } = run.value;
      change({
        done: done + 1,
        refused: refused + (result.ok ? 0 : 1),
        results: withResult(results, result),
      });
    };
    const ended = await forEachOrder(
      left.current,
      actOf(action, body),
      onResult,
      () => isStopped.current,
    );
    leave();
    change({ stage: ended });
  };
  return {
    run,
    go: (body) => void go(body),
    find: () => void find(),
    stop: () => {
      isStopped.current = true;
    },
  };
}

function actOf(action: Action, body: unknown): Act {
  return (order) => {
    const path = `/orders/${encodeURIComponent(order.orderId)}/${action}`;
    return post(path, body, conditionOf(action, order));
  };
}
