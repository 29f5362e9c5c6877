/**
 * The faults of each service, as set by an operator or a test. Kept in memory only, so that a restarted process is
 * healthy.
 */
import * as z from 'zod';
import { explain } from './explain.ts';
import type { ServiceName } from './services.ts';

const rate = z.number().min(0).max(1);

const faultsSchema = z.strictObject({
  /** The delay before each call is handled, ms. */
  latencyMs: z.int().min(0).max(60_000),
  /** The share of calls answered with 503: half of them before the effect, half after it. */
  transientRate: rate,
  /** The share of calls that get no answer: half of them before the effect, half after it. */
  hangRate: rate,
  /** The share of new keys whose perform is declined permanently. */
  declineRate: rate,
  /** True: every call is answered with 503 at once. */
  down: z.boolean(),
});
export type Faults = Readonly<z.infer<typeof faultsSchema>>;

/** Not `z.record`, which drops a name `__proto__`. */
const patchSchema = z.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Invalid input: expected object',
);

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

/** The faults of all services; initially none. */
export class FaultPanel {
  #faults = allHealthy();

  of(service: ServiceName): Faults {
    return this.#faults[service];
  }

  all(): Readonly<Record<ServiceName, Faults>> {
    return this.#faults;
  }

  /** Sets the given faults of one service and keeps its others; changes nothing when one is invalid. */
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
