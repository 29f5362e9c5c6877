/**
 * What goes wrong at each service, as an operator or a test has set it. Kept in memory only: a
 * restarted process is a healthy one.
 */
import * as z from 'zod';
import { explain } from './explain.ts';
import type { ServiceName } from './services.ts';

const rate = z.number().min(0).max(1);

const faultsSchema = z.strictObject({
  /** Milliseconds every call waits before it is worked on. */
  latencyMs: z.int().min(0).max(60_000),
  /** Share of calls answered 503: half of them before the effect, half after it. */
  transientRate: rate,
  /** Share of calls that never get an answer: half of them before the effect, half after it. */
  hangRate: rate,
  /** Share of new keys whose perform is declined for good. */
  declineRate: rate,
  /** Every call is answered 503 at once. */
  down: z.boolean(),
});
export type Faults = Readonly<z.infer<typeof faultsSchema>>;

const patchSchema = z.record(z.string(), z.unknown());

const healthy: Faults = {
  latencyMs: 0,
  transientRate: 0,
  hangRate: 0,
  declineRate: 0,
  down: false,
};

type Change =
  | { readonly kind: 'changed'; readonly faults: Faults }
  | { readonly kind: 'refused'; readonly message: string };

/** The switches of all services, healthy at first. */
export class FaultPanel {
  #faults = allHealthy();

  of(service: ServiceName): Faults {
    return this.#faults[service];
  }

  all(): Readonly<Record<ServiceName, Faults>> {
    return this.#faults;
  }

  /** Changes the named switches of one service and leaves the others; all of them or none. */
  change(service: ServiceName, body: unknown): Change {
    const patch = patchSchema.safeParse(body);
    if (!patch.success) return { kind: 'refused', message: explain(patch.error) };
    const next = faultsSchema.safeParse({ ...this.of(service), ...patch.data });
    if (!next.success) return { kind: 'refused', message: explain(next.error) };
    this.#faults = { ...this.#faults, [service]: next.data };
    return { kind: 'changed', faults: next.data };
  }

  reset(): void {
    this.#faults = allHealthy();
  }
}

function allHealthy(): Readonly<Record<ServiceName, Faults>> {
  return { fraud: healthy, inventory: healthy, payment: healthy, shipping: healthy };
}
