/**
 * Whether one of several front doors accepts an order: by the orders that wait as the Supervisor reported them, and by those
 * that this instance has accepted since. What other instances have accepted is known after the next sweep.
 *
 * The report is read by the first order of an instance. While nothing is known to wait, it is read again at most every ten
 * seconds and every ten orders; otherwise at most once per second. A report that cannot be read refuses no order.
 */
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import { admissionOf } from '#core/flow/admission-rule.ts';
import { type HeldBacklog, loadOf } from '#core/flow/held-backlog.ts';
import { errorKind } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { Admission, OfferedOrder } from '#ports/admission.ts';
import type { BacklogReport } from '#ports/backlog-report.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { isOlder } from './read-age.ts';

/** Options of {@link sharedAdmission}. */
export interface SharedAdmissionOptions {
  readonly report: BacklogReport;
  readonly registry: Pick<WorkflowRegistry, 'latest'>;
  /** The tenant as the index of held orders names it. */
  readonly flowOf: (tenant: string | null) => string;
  /** The weight of a tenant, by that name. Default: each has 1. */
  readonly weightOf?: (flow: string) => number;
  /** How long an accepted order may have to wait, ms. */
  readonly backlogMaxMs: number;
  /** The orders that may wait. Default: {@link limits.backlogOrdersMax}. */
  readonly ordersMax?: number;
  /** While no order is known to wait, one order in so many reads the report. Default: ten. */
  readonly readEveryOrders?: number;
  /** From one sweep to the next, ms. */
  readonly sweepPeriodMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** While orders are known to wait, ms. */
const readEveryMs = 1_000;
/** While none is. */
const quietReadEveryMs = 10_000;
const quietReadEveryOrders = 10;
/** A report older than so many sweep periods says nothing: the Supervisor is not at work. */
const periodsMax = 3;

/** Makes the admission of one instance. */
export function sharedAdmission(options: SharedAdmissionOptions): Admission {
  const { report, clock, log, backlogMaxMs, ordersMax = limits.backlogOrdersMax } = options;
  const { readEveryOrders = quietReadEveryOrders } = options;
  const bounds = { backlogMaxMs, ordersMax };
  const validMs = periodsMax * options.sweepPeriodMs;
  const accepted = acceptedSince();
  let backlog: HeldBacklog | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let offered = readEveryOrders;

  /** Null when no order is known to wait. */
  function current(nowMs: number): HeldBacklog | null {
    if (backlog === null || backlog.classes.length === 0) return null;
    return nowMs - backlog.at > validMs ? null : backlog;
  }

  function isStale(nowMs: number): boolean {
    if (current(nowMs) !== null) return isOlder(readAt, readEveryMs, nowMs);
    return isOlder(readAt, quietReadEveryMs, nowMs) && offered >= readEveryOrders;
  }

  async function read(): Promise<void> {
    readAt = clock.now();
    offered = 0;
    try {
      const latest = await report.read();
      if (latest?.at !== backlog?.at) accepted.clear();
      backlog = latest;
    } catch (error) {
      log.warn('backlog-unknown', { error: errorKind(error) });
    }
  }

  function answer(order: OfferedOrder) {
    const nowMs = clock.now();
    const known = current(nowMs);
    if (known === null) return null;
    const flow = options.flowOf(order.tenant);
    const { workflow, priority } = order;
    const own = `${workflow} ${priority} ${flow}`;
    const agents = options.registry.latest(workflow)?.steps.map(({ agent }) => agent) ?? [];
    const offer = { agents, priority, flow };
    const load = loadOf(known, offer, accepted.of(own), nowMs, options.weightOf);
    const refusal = admissionOf(load, bounds);
    if (refusal === null) accepted.add(own);
    return refusal;
  }

  return {
    ask(order) {
      offered += 1;
      return isStale(clock.now()) ? read().then(() => answer(order)) : answer(order);
    },
    // An order whose write failed counts until the next report.
    settled() {},
  };
}

/** The orders accepted since the last report. */
function acceptedSince() {
  const flows = new Map<string, number>();
  let inAll = 0;
  return {
    of: (flow: string) => ({ ofFlow: flows.get(flow) ?? 0, inAll }),
    add(flow: string) {
      flows.set(flow, (flows.get(flow) ?? 0) + 1);
      inAll += 1;
    },
    clear() {
      flows.clear();
      inAll = 0;
    },
  };
}
