/** Injects faults into machines, clocks, operators and the whole platform until the faults end. */
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { priorities, underWay } from '#core/model/record.ts';
import { invoke } from '#sim/ports/deliveries.ts';
import type { SimQueue } from '#sim/ports/sim-queue.ts';
import { recordsOf } from '#sim/ports/sim-table.ts';
import type { Fleet } from '#sim/world/fleet.ts';
import type { Host } from '#sim/world/host.ts';
import type { Setting } from '#sim/world/setting.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';
import type { DrawnFault } from './fault-rates.ts';
import { type Interruption, interruptedUntil, outageMs } from './platform-outage.ts';
import { outageKinds, outageOfServiceMs } from './service-outage.ts';

export interface FaultInjectorOptions {
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
  /** Empty where messages never leave the process. */
  readonly queuesToPoison: readonly SimQueue[];
  readonly setting: Setting;
}

export interface FaultInjector {
  /** Extended by an outage's duration once one began. */
  endsAt(): number;
  /** Unreadable message bodies, with their queue. */
  readonly poison: readonly { readonly queue: SimQueue; readonly body: string }[];
  readonly interruptions: readonly Interruption[];
}

/** The interval at which each of these faults is drawn, ms. */
const beatMs = 8_000;
/** An outage begins in the last part of the faults, when many orders are live, ms. */
const outageBeforeEndMs = 60_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const clockJumpMaxDays = 12;
/** How far ahead a clock jumps, at most, ms. */
export const clockJumpMaxMs = clockJumpMaxDays * dayMs;

export function faultInjector(options: FaultInjectorOptions): FaultInjector {
  const { shared, fleet } = options;
  const { timeline, chance, faults, subject } = shared.around;
  const messages = ofMessages(options);
  const interruptions: Interruption[] = [];
  const timedFaults = [...ofMachines(options, standStill), ...ofOperators(options)];
  /** A sweep that knows an outage decides about every call, also where it stands still itself (docs/design.md). */
  let outageIsKnownUntil = 0;
  let outageIsDrawn = false;
  /** Until when machines, clocks and people are disturbed: later only what has begun continues. */
  let disturbedUntil = timeline.now() + options.setting.faultsMs;
  let endsAt = disturbedUntil;

  function drawOutage(): void {
    if (outageIsDrawn || timeline.now() <= disturbedUntil - outageBeforeEndMs) return;
    outageIsDrawn = true;
    const { outageAfterMs, sweepPeriodMs } = options.setting;
    if (faults.strike('outage')) {
      const ms = outageMs(chance);
      began(ms, ms);
      fleet.startOutage(ms);
    } else if (faults.strike('store-outage')) {
      const ms = chance.between(3, 10) * outageAfterMs;
      // Deadlines near its end may pass before it can be recognised as an outage.
      began(ms, ms - outageAfterMs - 2 * sweepPeriodMs);
      shared.storeOutage.begin(ms, chance.pick(['writes', 'everything']));
    }
  }

  function began(ms: number, tellableMs: number): void {
    const nowMs = timeline.now();
    // While an outage is remembered, other failures must still count: see `gapsLeft`.
    disturbedUntil += ms + chance.pick([0, 2 * options.setting.outageAfterMs]);
    endsAt = Math.max(endsAt, disturbedUntil);
    // Without a completed sweep before it, the outage cannot be recognised.
    const isKnown = options.setting.oneProcess || shared.coordination.recall(1).sweptAt !== null;
    if (isKnown) interruptUntil(nowMs + tellableMs);
  }

  function standStill(ms: number): void {
    const { outageAfterMs, sweepPeriodMs } = options.setting;
    const nowMs = timeline.now();
    if (nowMs > outageIsKnownUntil) interruptUntil(nowMs + ms);
    outageIsKnownUntil = nowMs + ms + 3 * outageAfterMs + 2 * sweepPeriodMs;
  }

  /** What is in flight now, and is due before that instant, is not late by itself. */
  function interruptUntil(instant: number): void {
    const attempts = interruptedUntil(instant, timeline.now(), recordsOf(shared.table));
    interruptions.push({ attempts, unreadBefore: faults.hits.get('record-unreadable') ?? 0 });
  }

  function stopService(): void {
    if (!faults.strike('service-outage')) return;
    const ms = outageOfServiceMs(shared.around);
    const { name } = chance.pick(subject.contracts);
    const endpoints = subject.endpointsOf(name);
    const isPart = endpoints !== undefined && chance.hits(0.5);
    const endpoint = isPart ? chance.pick(endpoints).url : null;
    shared.serviceOutages.begin(name, endpoint, chance.pick(outageKinds), ms);
    endsAt = Math.max(endsAt, timeline.now() + ms);
  }

  function beat(): void {
    if (timeline.now() >= disturbedUntil) return;
    timeline.at(fleet.soon(beatMs), beat);
    for (const [name, happen] of timedFaults) {
      if (!faults.strike(name)) continue;
      const [first, ...rest] = fleet.all();
      if (first !== undefined) happen(chance.pick([first, ...rest]));
    }
    messages.poisonOne();
    messages.forgeOne();
    stopService();
    drawOutage();
  }

  timeline.at(timeline.now() + beatMs, beat);
  return { poison: messages.poison, interruptions, endsAt: () => endsAt };
}

function ofMessages(options: FaultInjectorOptions) {
  const { shared } = options;
  const { chance, faults } = shared.around;
  const poison: { queue: SimQueue; body: string }[] = [];

  function poisonOne(): void {
    const [first, ...rest] = options.queuesToPoison;
    if (first === undefined || !faults.strike('message-poisoned')) return;
    const queue = chance.pick([first, ...rest]);
    const body = `{"version":${poison.length + 2},"kind":"riddle"}`;
    poison.push({ queue, body });
    queue.putSafely([body]);
  }

  /** A reply by an agent that was not asked, on its own channel. */
  function forgeOne(): void {
    const [first, ...rest] = recordsOf(shared.table).flatMap(({ orderId, steps }) =>
      steps.filter(({ progress }) => underWay(progress)).map((step) => ({ step, orderId })),
    );
    const [queue, ...others] = options.setting.oneProcess ? [] : shared.queues.replies.values();
    if (first === undefined || queue === undefined || !faults.strike('message-forged')) return;
    const {
      orderId,
      step: { name: step, agent, attempt, progress },
    } = chance.pick([first, ...rest]);
    const stranger = [queue, ...others].find((one) => one !== shared.queues.replies.get(agent));
    const action = progress.state === 'Undoing' ? 'undo' : 'perform';
    const result = {
      kind: 'succeeded',
      output: { of: 'a stranger', units: 1, key: 'forged' },
    } as const;
    stranger?.putSafely([replyCodec.encode({ orderId, step, attempt, action, result })]);
  }

  return { poison, poisonOne, forgeOne };
}

type TimedFaults = readonly (readonly [DrawnFault, (host: Host) => void])[];

/** @param standStill called when one process stands still for so many ms that it is an outage */
function ofMachines(
  { shared, fleet, setting: { oneProcess, outageAfterMs } }: FaultInjectorOptions,
  standStill: (ms: number) => void,
): TimedFaults {
  const { chance, trace } = shared.around;
  const setClock = ({ machine }: Host, skewMs: number) => {
    trace.record(`the clock of ${machine.name} is ${skewMs} ms off`);
    machine.setClock(skewMs);
  };
  // One process sweeps every few seconds, so a jump of days would dominate the trace.
  const jumpMs = () =>
    oneProcess ? chance.between(5, 30) * minuteMs : chance.between(1, clockJumpMaxDays) * dayMs;
  const freeze = ({ machine }: Host) => {
    const ms = chance.between(2_000, 120_000);
    trace.record(`${machine.name} freezes for ${ms} ms`);
    machine.freeze(ms);
    if (oneProcess && ms > outageAfterMs) standStill(ms);
  };
  return [
    ['frozen', freeze],
    ['clock-skewed', (host) => setClock(host, chance.between(-20_000, 20_000))],
    ['clock-jumps-days', (host) => setClock(host, jumpMs())],
    ['clock-steps-back', (host) => setClock(host, -chance.between(1_000, 2 * hourMs))],
    ['new-version', (host) => fleet.redeploy(host, 'new')],
    ['old-version', (host) => fleet.redeploy(host, 'old')],
  ];
}

function ofOperators({ shared, fleet }: FaultInjectorOptions): TimedFaults {
  const { chance, trace, subject } = shared.around;
  const { rules } = shared;
  const by = 'olga';
  const operate = (what: 'resubmit' | 'cancel') => () => {
    const [first, ...rest] = shared.table.orderIds();
    const host = fleet.pick('door');
    if (first === undefined || host === null) return;
    const orderId = chance.pick([first, ...rest]);
    trace.record(`an operator asks to ${what} ${orderId}`);
    invoke(host, shared, async () => {
      const answered = rules.asking({ orderId, type: what, by });
      answered((await host.operator[what](orderId, by)).kind);
    });
  };
  const reprioritise = () => {
    const [first, ...rest] = shared.table.orderIds();
    const host = fleet.pick('door');
    if (first === undefined || host === null) return;
    const orderId = chance.pick([first, ...rest]);
    const priority = chance.pick(priorities);
    trace.record(`an operator gives ${orderId} the priority ${priority}`);
    invoke(host, shared, async () => {
      const answered = rules.asking({ orderId, type: 'reprioritise', by, priority });
      answered((await host.operator.reprioritise(orderId, by, priority)).kind);
    });
  };
  /** Only for stopped orders, where a correction can succeed. */
  const correct = () => {
    const stopped = recordsOf(shared.table).filter(({ processState }) => processState === 'Error');
    const [first, ...rest] = stopped;
    const host = fleet.pick('door');
    if (first === undefined || host === null) return;
    const { orderId } = chance.pick([first, ...rest]);
    const correction = subject.correction(chance);
    if (correction === null) return;
    const corrections = [correction];
    trace.record(`an operator corrects ${correction.field} of ${orderId}`);
    invoke(host, shared, async () => {
      const answered = rules.asking({ orderId, type: 'resubmit', by, corrections });
      answered((await host.operator.resubmit(orderId, by, { corrections })).kind);
    });
  };
  const search = (host: Host) => {
    const { name: agent } = chance.pick(subject.contracts);
    invoke(host, shared, async () => {
      await host.searchErrors(agent);
    });
  };
  return [
    ['operator-resubmits', operate('resubmit')],
    ['operator-cancels', operate('cancel')],
    ['operator-reprioritises', reprioritise],
    ['operator-corrects', correct],
    ['operator-searches', search],
  ];
}
