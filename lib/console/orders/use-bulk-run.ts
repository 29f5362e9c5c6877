/** A bulk action: finds its orders, waits for the confirmation, and runs. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { get, post } from '#console/api/api-client.ts';
import type { SummaryDocument } from '#console/api/documents.ts';
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
import { findOrders } from './find-orders.ts';

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
export const runMax = 10_000;

export interface BulkRun {
  readonly stage: 'finding' | 'failed' | 'asking' | 'running' | 'stopped' | 'out' | 'done';
  /** Orders to which the action applies. */
  readonly meant: number;
  /** Selected orders to which it does not apply. */
  readonly skipped: number;
  /** False when more orders match than one run takes. */
  readonly isComplete: boolean;
  readonly done: number;
  readonly refused: number;
  readonly results: readonly Result[];
}

const before: BulkRun = {
  stage: 'finding',
  meant: 0,
  skipped: 0,
  isComplete: true,
  done: 0,
  refused: 0,
  results: [],
};

export interface BulkControl {
  readonly run: ReadonlySignal<BulkRun>;
  /** Starts, or continues after a stop. `body`: of each request; null: none. */
  readonly go: (body: unknown) => void;
  readonly stop: () => void;
}

export function useBulkRun(action: Action, choice: Choice): BulkControl {
  const run = useSignal<BulkRun>(before);
  const left = useRef<Meant[]>([]);
  const isStopped = useRef(false);
  const change = (news: Partial<BulkRun>) => {
    run.value = { ...run.value, ...news };
  };
  const choose = (orders: readonly SummaryDocument[], isComplete: boolean) => {
    left.current = orders.filter((order) => fits(action, order));
    const meant = left.current.length;
    change({ stage: 'asking', meant, skipped: orders.length - meant, isComplete });
  };
  useEffect(() => {
    isStopped.current = false;
    if (choice.kind === 'these') choose(choice.orders, true);
    else {
      const onProgress = (found: number) => change({ meant: found });
      void findOrders({
        ...choice,
        get,
        max: runMax,
        onProgress,
        isStopped: () => isStopped.current,
      }).then((found) => {
        if (isStopped.current) return;
        if (found.kind === 'found') choose(found.orders, found.isComplete);
        else change({ stage: 'failed' });
      });
    }
    // A closed dialog starts no further order.
    return () => {
      isStopped.current = true;
    };
  }, []);
  const go = async (body: unknown) => {
    isStopped.current = false;
    change({ stage: 'running' });
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
    change({ stage: ended });
  };
  return {
    run,
    go: (body) => void go(body),
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
