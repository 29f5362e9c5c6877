/** The weights by which tenants share one process. They can be changed while messages wait. */
import { ReeveError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';

/** See {@link tenantWeights}. */
export interface TenantWeights {
  /** The weight of a tenant; 1 for one without a weight of its own, and for work without a tenant. */
  of(tenant: string | null): number;
  /** Changes a weight, also for what waits already. */
  set(tenant: string, weight: number): void;
  /** Calls `listener` with each tenant whose weight has changed. */
  watch(listener: (tenant: string) => void): void;
}

/**
 * The weights at the start, by tenant: from {@link limits.tenantWeightMin} to {@link limits.tenantWeightMax}.
 *
 * @throws {ReeveError} `tenant-weight-range`, also from `set`
 */
export function tenantWeights(initial: ReadonlyMap<string, number> = new Map()): TenantWeights {
  const weights = new Map<string, number>();
  const listeners: ((tenant: string) => void)[] = [];

  function set(tenant: string, weight: number): void {
    const { tenantWeightMin: min, tenantWeightMax: max } = limits;
    if (!(weight >= min && weight <= max)) {
      throw new ReeveError(
        'tenant-weight-range',
        `The weight of the tenant ${tenant} is ${weight}; it must be from ${min} to ${max}.`,
      );
    }
    weights.set(tenant, weight);
    for (const listener of listeners) listener(tenant);
  }

  for (const [tenant, weight] of initial) set(tenant, weight);
  return {
    of: (tenant) => (tenant === null ? 1 : (weights.get(tenant) ?? 1)),
    set,
    watch(listener) {
      listeners.push(listener);
    },
  };
}
