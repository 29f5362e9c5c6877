/** Orders in Error by cause, because the repair of a cause helps all of its orders. */
import type { OrderFault, SummaryDocument } from '#console/api/documents.ts';
import type { OrderQuery } from '#console/parts/page-paths.ts';

/** A workflow, a step and its action, and the fault's code; all null but the workflow for an order without fault. */
export interface Cause {
  readonly workflow: string;
  readonly step: string | null;
  readonly action: OrderFault['action'];
  readonly code: string | null;
}

export interface CauseGroup {
  readonly cause: Cause;
  readonly key: string;
  readonly count: number;
  /** The order that changed last; its fault is shown. */
  readonly latest: SummaryDocument;
}

export function causeOf({ workflow, fault }: SummaryDocument): Cause {
  return {
    workflow,
    step: fault?.step ?? null,
    action: fault?.action ?? null,
    code: fault?.code ?? null,
  };
}

/** Without spaces: it names an element of the page too. */
export function causeKey({ workflow, step, action, code }: Cause): string {
  const words = [workflow, step, action, code].map((part) =>
    // No encoded text has a slash.
    part === null ? '/' : encodeURIComponent(part),
  );
  return words.join(':');
}

/** Those with the most orders first. */
export function causeGroups(orders: readonly SummaryDocument[]): readonly CauseGroup[] {
  const groups = Map.groupBy(orders, (order) => causeKey(causeOf(order)));
  return [...groups]
    .flatMap(([key, own]) => {
      const [latest] = own.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
      return latest === undefined
        ? []
        : [{ cause: causeOf(latest), key, count: own.length, latest }];
    })
    .sort((a, b) => b.count - a.count || (a.latest.updatedAt < b.latest.updatedAt ? 1 : -1));
}

/** The listing that has all orders of the cause. It may have others: of no step, or of the step's undo. */
export function causeQuery({ workflow, step, code }: Cause): Partial<OrderQuery> {
  return { state: 'Error', workflow, step: step ?? '', fault: code ?? '' };
}
