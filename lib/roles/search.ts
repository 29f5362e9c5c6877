/** The search: a listing by state, filtered by further conditions. */
import { findStep, type ProcessRecord, underWay, waitsForAgent } from '#core/model/record.ts';
import type { ListQuery, Page, StateStore } from '#ports/state-store.ts';

/** The conditions besides the state; an absent one matches every order. */
export interface OrderFilter {
  readonly workflow?: string;
  /** The fault is of a step of this agent, or a call to this agent is in flight or held. */
  readonly agent?: string;
  /** The step of the fault. */
  readonly step?: string;
  /** The code of the fault. */
  readonly fault?: string;
  /** A step is held: it waits for its agent, or for earlier orders of the singleton key. */
  readonly held?: true;
  readonly tenant?: string;
  /** The earliest time of the last change, ms since the epoch, inclusive. */
  readonly since?: number;
  /** The latest time of the last change, ms since the epoch, exclusive. */
  readonly before?: number;
}

/**
 * Pages of the listing that one search reads at most. Each is as long as the number of orders still wanted, so that
 * no order is skipped: where few match, the result is short or empty, and has a cursor.
 */
const pagesMax = 10;

/**
 * Returns one page of the matching orders.
 *
 * @throws {ReeveError} `cursor-invalid` for a cursor that no search returned
 */
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
  const { workflow, agent, step, fault, held, tenant, since, before } = filter;
  const { updatedAt } = record;
  return (
    (workflow === undefined || record.workflow === workflow) &&
    (agent === undefined || concerns(record, agent)) &&
    (step === undefined || record.fault?.step === step) &&
    (fault === undefined || record.fault?.code === fault) &&
    (held === undefined || record.isHeld === true) &&
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
    steps.some(
      ({ agent: own, progress }) =>
        own === agent && (underWay(progress) || waitsForAgent(progress)),
    )
  );
}
