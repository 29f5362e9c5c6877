/**
 * Checks that the steps which wait for an agent of one process begin in their shares (R24). It lives as long as the process,
 * and knows the steps from the records that the process stored, or sent to the store, and from its nudges.
 *
 * A step that has its slot waits for its agent no more, however long what begins it takes: its order was nudged, or the write
 * that begins it is on its way.
 */

import type { RecordPair } from '#checkers/transition.ts';
import type { Breach } from '#checkers/violation.ts';
import { type AgentName, type OrderId, orderId, type StepName } from '#core/model/ids.ts';
import {
  findStep,
  type ProcessRecord,
  type StepRecord,
  underWay,
  waitsForAgent,
} from '#core/model/record.ts';
import { isClaimable } from './claimable.ts';
import {
  addWaiting,
  countAnew,
  endSlots,
  type Flow,
  type Flows,
  flowOf,
  giveSlot,
  isBehind,
  removeStep,
  waitAgain,
} from './share-flows.ts';

/** Options of {@link shareChecker}. */
export interface ShareCheckerOptions {
  /** The calls that the agent, or all members of the pool, make at once. */
  readonly concurrencyOf: (agent: AgentName) => number;
  /** Changes whenever something else than the shares decides who begins: the shares are counted anew. */
  readonly disturbance: (agent: AgentName) => string;
  /** Whether the limits by a key let a call of the order begin: a step that waits for room in them is passed by steps of other keys. */
  readonly haveRoom: (agent: AgentName, order: OrderId) => boolean;
  readonly now: () => number;
  readonly breach: Breach;
}

/** See {@link shareChecker}. */
export interface ShareChecker {
  /** The process sends nudges: the steps of these orders that wait may have a slot. */
  nudged(orderIds: readonly OrderId[]): void;
  /** The nudge of this order was handled. */
  handled(orderId: OrderId): void;
  /** The process sends this write to the store. The returned function says that it has the answer. */
  sent(record: ProcessRecord): () => void;
  /** The process stored this write. */
  stored(write: RecordPair): void;
}

/** A slot is kept so long for an order that was nudged, ms: `reservedMs` in lib/in-process/waiting-steps.ts. */
const slotMs = 10_000;

/** Makes the check of one process. Tenants have equal weights. */
export function shareChecker(options: ShareCheckerOptions): ShareChecker {
  const { concurrencyOf, haveRoom, now, breach } = options;
  const { flowsOf, all } = flowsByAgent(options);

  function waits({ agent, name }: StepRecord, record: ProcessRecord): void {
    const flows = flowsOf(agent);
    addWaiting(idOf(record, name), flowOf(flows, record), flows);
  }

  function left({ agent, name }: StepRecord, record: ProcessRecord, hasBegun: boolean): void {
    const flows = flowsOf(agent);
    const flow = flowOf(flows, record);
    // A step that waited for the gates of another process is not known here.
    if (!removeStep(idOf(record, name), flow) || !hasBegun) return;
    for (const other of flows.values()) {
      if (other.waiting.size === 0) continue;
      if (![...other.waiting].some((step) => haveRoom(agent, orderOf(step)))) {
        countAnew(other, flows);
        continue;
      }
      other.begun += 1;
      if (other === flow) other.own += 1;
      if (!isBehind(other, concurrencyOf(agent))) continue;
      const { priority, tenant, begun, own } = other;
      breach('R24', `of ${begun} steps of ${agent}, ${own} were of ${priority} ${tenant}`);
      countAnew(other, flows);
    }
  }

  function isKnown({ agent, name }: StepRecord, record: ProcessRecord): boolean {
    const { waiting, beginning } = flowOf(flowsOf(agent), record);
    const id = idOf(record, name);
    return waiting.has(id) || beginning.has(id);
  }

  /** The steps of the order that are known, in every flow: a pool has given them to a member, or an operator another class. */
  const knownOf = (orderId: OrderId): readonly Known[] =>
    all().flatMap((flows) =>
      [...flows.values()].flatMap((flow) =>
        [...flow.waiting, ...flow.beginning.keys()]
          .filter((step) => step.startsWith(`${orderId} `))
          .map((step) => ({ step, flow, flows })),
      ),
    );

  function handled(orderId: OrderId): void {
    for (const { step, flow, flows } of knownOf(orderId)) {
      const until = flow.beginning.get(step);
      if (until !== Number.POSITIVE_INFINITY) waitAgain(step, flow, flows);
    }
  }

  return {
    nudged(orderIds) {
      for (const { step, flow } of orderIds.flatMap(knownOf)) {
        if (flow.waiting.has(step)) giveSlot(step, flow, now() + slotMs);
      }
    },
    handled,
    sent(record) {
      const starts = record.steps.filter(({ progress }) => underWay(progress));
      const ids = starts.map(({ name }) => idOf(record, name));
      const begun = knownOf(record.orderId).filter(({ step }) => ids.includes(step));
      for (const { step, flow } of begun) giveSlot(step, flow, Number.POSITIVE_INFINITY);
      return () => {
        for (const { step, flow, flows } of begun) waitAgain(step, flow, flows);
      };
    },
    stored({ before, after }) {
      if (before?.isHeld === undefined && after.isHeld === undefined) return;
      handled(after.orderId);
      for (const is of after.steps) {
        const was = before === null ? undefined : findStep(before, is.name);
        const didWait = before !== null && waitsIn(before, was);
        const doesWait = waitsIn(after, is);
        // An operator may give an order that waits another class.
        const isSame =
          didWait && doesWait && before.priority === after.priority && was?.agent === is.agent;
        // The former process may have held it: this one knows it from the first write that it sees.
        if (isSame && isKnown(is, after)) continue;
        if (didWait && was !== undefined) left(was, before, is.attempt !== was.attempt);
        if (doesWait) waits(is, after);
      }
    },
  };
}

interface Known {
  readonly step: string;
  readonly flow: Flow;
  readonly flows: Flows;
}

/** The flows of each agent, which are counted anew after a disturbance. */
function flowsByAgent({ disturbance, now }: Pick<ShareCheckerOptions, 'disturbance' | 'now'>) {
  const agents = new Map<AgentName, { flows: Flows; disturbed: string }>();
  return {
    all: (): readonly Flows[] => [...agents.values()].map(({ flows }) => flows),
    flowsOf(agent: AgentName): Flows {
      const disturbed = disturbance(agent);
      const known = agents.get(agent) ?? { flows: new Map(), disturbed };
      agents.set(agent, known);
      if (known.disturbed !== disturbed) {
        known.disturbed = disturbed;
        for (const flow of known.flows.values()) countAnew(flow, known.flows);
      }
      endSlots(known.flows, now());
      return known.flows;
    },
  };
}

const idOf = (order: ProcessRecord, name: StepName) => `${order.orderId} ${name}`;
const orderOf = (step: string): OrderId => orderId(step.slice(0, step.indexOf(' ')));

/** A step of an order that cools down could not begin: it has no share meanwhile. */
const waitsIn = (record: ProcessRecord, step: StepRecord | undefined): boolean =>
  step !== undefined && waitsForAgent(step.progress) && isClaimable(record, record.updatedAt);
