/** Offers a deployment three times what one of its agents can take, and notes what becomes of each order. */
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessState } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';
import type { Settle } from '#sim/world/virtual-time.ts';
import { invocationContext } from './load-context.ts';
import { flowName, type LoadSetting, type Offer } from './load-setting.ts';
import { type LoadWorld, loadWorld } from './load-world.ts';

/** An order that was accepted; instants are ms from the begin of the overload. */
export interface Accepted {
  readonly flow: string;
  readonly at: number;
  state: ProcessState;
  /** When it was Processed or Undone; null: not yet. */
  endedAt: number | null;
  /** How long the calls of its services took, ms. */
  servedMs: number;
  failures: number;
}

export interface Refused {
  readonly flow: string;
  readonly at: number;
  readonly code: string;
  readonly retryAfterMs: number;
  /** The last accepted order of its flow, which would have been before it. */
  readonly last: Accepted | undefined;
}

export interface Overload extends Pick<LoadWorld, 'events' | 'schedulers'> {
  readonly orders: readonly Accepted[];
  readonly refusals: readonly Refused[];
  /** The calls of the bottleneck. */
  readonly calls: number;
  /** How long it took until every order had ended, ms. */
  readonly tookMs: number;
}

export interface OverloadOptions {
  readonly setting: LoadSetting;
  readonly offers: readonly Offer[];
  /** What the agent can take, orders per second. */
  readonly capacity: number;
  readonly forMs: number;
  readonly settle: Settle;
}

/** Before the overload, a fifth of it is offered, so that functions have begun. */
const warmUp = { ms: 30_000, part: 0.2 };
const sweepEveryMs = 60_000;
/** How late the schedule invokes the Supervisor, ms. */
const sweepLateMs = 5_000;
/** Orders that have not ended so long after the overload are left, ms. */
const drainMaxMs = 900_000;

export async function overload(options: OverloadOptions): Promise<Overload> {
  const { setting, offers, capacity, forMs } = options;
  const around = invocationContext(setting.seed, options.settle);
  const { timeline, chance } = around;
  const begin = timeline.now();
  const start = begin + warmUp.ms;
  const now = () => timeline.now() - start;
  const orders = new Map<OrderId, Accepted>();
  const last = new Map<string, Accepted>();
  const refusals: Refused[] = [];
  const overloadAt = start;
  let live = 0;
  const world = loadWorld({ setting, around, onWrite });

  function onWrite({ before, after }: Write): void {
    const { orderId, processState: state, failureCount: failures } = after;
    if (before === null) {
      const flow = flowName(after);
      const order = { flow, at: now(), state, endedAt: null, servedMs: 0, failures };
      orders.set(orderId, order);
      last.set(flow, order);
      live += 1;
      return;
    }
    const order = orders.get(orderId);
    if (order === undefined) return;
    order.state = state;
    order.failures = failures;
    if (state !== 'Processed' && state !== 'Undone') return;
    live -= 1;
    order.endedAt = now();
    order.servedMs = world.services.servedMs(orderId);
  }

  function offerNext(offer: Offer, at: number): void {
    if (at - start >= forMs) return;
    timeline.at(at, () => {
      submit(offer);
      // A Poisson process: the gaps are exponential.
      const part = offer.part * (at < overloadAt ? warmUp.part : 1);
      const gapMs = (-Math.log(1 - chance.next()) * 1_000) / (capacity * part);
      offerNext(offer, at + gapMs);
    });
  }

  function submit({ priority, tenant }: Offer): void {
    const flow = flowName({ priority, tenant });
    void world.door.run(async ({ submission }) => {
      const outcome = await submission.submit({ ...request, priority, tenant }, 'load');
      if (outcome.kind === 'refused') throw new Error(`${flow} is refused: ${outcome.code}`);
      if (outcome.kind !== 'overloaded') return;
      const { code, retryAfterMs } = outcome;
      refusals.push({ flow, at: now(), code, retryAfterMs, last: last.get(flow) });
    });
  }

  function sweepAt(at: number): void {
    timeline.at(at + chance.between(0, sweepLateMs), () => void world.sweep());
    timeline.at(at, () => sweepAt(at + sweepEveryMs));
  }

  sweepAt(begin + chance.between(0, sweepEveryMs));
  for (const offer of offers) offerNext(offer, begin + chance.next() * 1_000);
  await timeline.runUntil(start + forMs);
  while (live > 0 && now() < forMs + drainMaxMs) await timeline.runUntil(timeline.now() + 1_000);
  return {
    orders: [...orders.values()],
    refusals,
    events: world.events,
    schedulers: world.schedulers,
    calls: world.services.ended(),
    tookMs: now(),
  };
}

const request = {
  workflow: 'sequence',
  details: { units: 1, boxes: 1, express: false },
  key: null,
  replyTo: null,
  correlationId: null,
} as const;
