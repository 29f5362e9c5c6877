/** The search: a listing by state, and of it what else is asked for. */
import { findStep, type ProcessRecord, underWay } from '#core/model/record.ts';
import type { ListQuery, Page, StateStore } from '#ports/state-store.ts';

/** What an order must have, beside its state; what is left out may be anything. */
export interface OrderFilter {
  readonly workflow?: string;
  /** Its fault is of this agent's step, or a call to this agent is out. */
  readonly agent?: string;
  /** Its fault is of this step … */
  readonly step?: string;
  /** … and has this code. */
  readonly fault?: string;
  readonly tenant?: string;
  /** It changed at this instant or later … */
  readonly since?: number;
  /** … and before this one. */
  readonly before?: number;
}

/**
 * Pages of the listing that one search reads at most. Each is as long as what is still wanted, so that
 * no order is passed over: where little fits, a page of the answer is short, or empty, and has a cursor.
 */
const pagesMax = 10;

/** @throws {ReeveError} `cursor-invalid` for a cursor that no search gave */
export async function search(
  store: Pick<StateStore, 'list'>,
  query: ListQuery,
  filter: OrderFilter,
): Promise<Page<ProcessRecord>> {
  const found: ProcessRecord[] = [];
  let { cursor } = query;
  for (let pages = 0; pages < pagesMax && found.length < query.limit; pages += 1) {
    const page = await store.list({ ...query, cursor, limit: query.limit - found.length });
    found.push(...page.items.filter((record) => fits(record, filter)));
    cursor = page.cursor;
    if (cursor === null) break;
  }
  return { items: found, cursor };
}

function fits(record: ProcessRecord, filter: OrderFilter): boolean {
  const { workflow, agent, step, fault, tenant, since, before } = filter;
  const { updatedAt } = record;
  return (
    (workflow === undefined || record.workflow === workflow) &&
    (agent === undefined || concerns(record, agent)) &&
    (step === undefined || record.fault?.step === step) &&
    (fault === undefined || record.fault?.code === fault) &&
    (tenant === undefined || record.tenant === tenant) &&
    (since === undefined || updatedAt >= since) &&
    (before === undefined || updatedAt < before)
  );
}

function concerns(record: ProcessRecord, agent: string): boolean {
  const { fault, steps } = record;
  const faulty = fault?.step ? findStep(record, fault.step) : undefined;
  return (
    faulty?.agent === agent ||
    steps.some(({ agent: own, progress }) => own === agent && underWay(progress))
  );
}
