/**
 * Orders in Error that this process cannot continue, because it does not have their definition as it was. They rest, so that no start is refused
 * for them; an operator who resubmits or cancels one would see it stop again, with `workflow-unknown` instead of its own fault.
 */
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Log } from '#ports/log.ts';
import type { RecordCount } from './activity.ts';

/** The orders of one definition, which is missing. */
interface Stopped {
  readonly workflow: string;
  readonly version: number;
  orders: number;
  /** One of those that were counted. */
  readonly orderId: OrderId;
}

/** Counts them, and logs each definition with the number of its orders, once those of the former process are counted. */
export function missingDefinitions({
  registry,
  log,
}: {
  readonly registry: Pick<WorkflowRegistry, 'of' | 'version'>;
  readonly log: Log;
}): RecordCount {
  const stopped = new Map<string, Stopped>();

  function count(record: ProcessRecord, by: 1 | -1): void {
    if (record.processState !== 'Error' || registry.of(record) !== undefined) return;
    const { workflow, workflowVersion: version, fingerprint, orderId } = record;
    const key = `${workflow}@${version} ${fingerprint}`;
    const known = stopped.get(key) ?? { workflow, version, orders: 0, orderId };
    known.orders += by;
    stopped.set(key, known);
  }

  return {
    add: (record) => count(record, 1),
    takeOut: (record) => count(record, -1),
    counted() {
      for (const { orders, ...of } of stopped.values()) {
        if (orders === 0) continue;
        const isChanged = registry.version(of.workflow, of.version) !== undefined;
        log.error('orders-without-definition', { ...of, orders, isChanged });
      }
    },
  };
}
