/** The machines: several for each role, or one for all; crashed machines are replaced. */
import type { AgentName } from '#core/model/ids.ts';
import type { Release, Subject } from '#sim/orders/subject.ts';
import type { Host } from './host.ts';
import { type Machine, machine } from './machine.ts';
import type { SimContext } from './sim-context.ts';

export type Duty = 'scheduler' | 'supervisor' | 'notifier' | 'door' | AgentName;

export interface Fleet {
  /** A machine with this duty; null while all of them are down. */
  pick(duty: Duty): Host | null;
  all(): readonly Host[];
  /** Stops a machine; its successor runs that release. */
  redeploy(host: Host, release: Release): void;
  /** Stops all machines; their successors run that release. */
  redeployAll(release: Release): void;
  /** Stops all machines and replaces none for this long, ms. */
  startOutage(ms: number): void;
  /** The instant in this many ms, or the end of the outage if that is later. */
  soon(ms: number): number;
  isInOutage(): boolean;
}

export interface FleetOptions {
  readonly around: SimContext;
  /** All duties on one machine. */
  readonly oneProcess: boolean;
  readonly hostOn: (machine: Machine, release: Release) => Host;
  /** Called when a machine has started. */
  readonly onBoot: (host: Host) => void;
}

/** A position that successive machines fill. */
interface Slot {
  readonly name: string;
  generation: number;
  release: Release;
  host: Host | null;
}

const perDuty = 2;

export function fleet(options: FleetOptions): Fleet {
  const { around, oneProcess, hostOn, onBoot } = options;
  const { timeline, chance } = around;
  let outageUntil = 0;
  const slotsFor = new Map<Duty, Slot[]>(
    oneProcess ? [] : duties(around.subject).map((duty) => [duty, slotsOf(duty)]),
  );
  const slots = oneProcess ? [slotOf('reeve')] : [...slotsFor.values()].flat();

  function slotOf(name: string): Slot {
    return { name, generation: 0, release: 'old', host: null };
  }

  function slotsOf(duty: Duty): Slot[] {
    const count = duty === 'scheduler' ? perDuty + 1 : perDuty;
    return Array.from({ length: count }, (_, at) => slotOf(`${duty}-${at + 1}`));
  }

  function boot(slot: Slot): void {
    if (timeline.now() < outageUntil) {
      timeline.at(outageUntil, () => boot(slot));
      return;
    }
    slot.generation += 1;
    const body = machine(`${slot.name}.${slot.generation}`, around, () => {
      slot.host = null;
      timeline.at(timeline.now() + chance.between(100, 4_000), () => boot(slot));
    });
    slot.host = hostOn(body, slot.release);
    onBoot(slot.host);
  }

  for (const slot of slots) timeline.at(timeline.now(), () => boot(slot));

  const all = () => hostsIn(slots, () => true);
  return {
    all,
    isInOutage: () => timeline.now() < outageUntil,
    soon: (ms) => Math.max(timeline.now() + ms, outageUntil),
    pick(duty) {
      const [first, ...rest] = hostsIn(slotsFor.get(duty) ?? slots, ({ ready }) => ready);
      return first === undefined ? null : chance.pick([first, ...rest]);
    },
    redeploy(host, release) {
      const slot = slots.find((own) => own.host === host);
      if (slot === undefined) return;
      slot.release = release;
      host.machine.die();
    },
    redeployAll(release) {
      for (const slot of slots) {
        slot.release = release;
        slot.host?.machine.die();
      }
    },
    startOutage(ms) {
      outageUntil = timeline.now() + ms;
      around.trace.record(`the platform has an outage of ${ms} ms`);
      for (const { machine: body } of all()) body.die();
    },
  };
}

function hostsIn(slots: readonly Slot[], isWanted: (host: Host) => boolean): Host[] {
  const hosts: Host[] = [];
  for (const { host } of slots) if (host !== null && isWanted(host)) hosts.push(host);
  return hosts;
}

function duties({ contracts }: Subject): Duty[] {
  return ['scheduler', 'supervisor', 'notifier', 'door', ...contracts.map(({ name }) => name)];
}
