/**
 * Checks the slots of the agents of one process (R21, R22), from the records that it stored, the requests that it sent and
 * the attempts that ended. It lives as long as the process.
 */

import { attemptOf } from '#checkers/send-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import { type ProcessRecord, waitsForAgent } from '#core/model/record.ts';
import { isClaimable } from './claimable.ts';

/** Options of {@link slotChecker}. */
export interface SlotCheckerOptions {
  /** The calls that each agent makes at once. */
  readonly concurrency: number;
  /** The pools of which an agent is a member, by name, with their members. */
  readonly pools: ReadonlyMap<AgentName, readonly AgentName[]>;
  readonly now: () => number;
  /** The number of faults until now. After each of them the process has all the time again. */
  readonly faults: () => number;
  /** Whether the agent may be expected to begin a call; and whether its circuit says that it may not. */
  readonly serviceOf: (agent: AgentName) => 'available' | 'circuit' | 'unavailable';
  /** Whether the limits of the agent let a call of the order begin, where no operator has changed them. That their room is used is checked elsewhere. */
  readonly haveRoom: (agent: AgentName, order: ProcessRecord) => boolean;
  readonly breach: Breach;
}

/** See {@link slotChecker}. */
export type SlotChecker = ReturnType<typeof slotChecker>;

/** An order has a slot for 10 s before another one gets it, and claims take less than a second without faults. */
const unusedMaxMs = 60_000;
/** A probe comes within 5 minutes, and the ramp begins with one call in 10 s. */
const unusedMaxInCircuitMs = 20 * 60_000;

/** How a free slot is left unused although a step waits for it. */
interface Unused {
  readonly since: number;
  readonly faults: number;
}

/** Checks the slots of one process. */
export function slotChecker(options: SlotCheckerOptions) {
  const { concurrency, pools, now, faults, serviceOf, haveRoom, breach } = options;
  const open = new Map<AgentName, Set<string>>();
  const held = new Map<OrderId, ProcessRecord>();
  const unused = new Map<AgentName, Unused>();

  const openOf = (agent: AgentName) => {
    const known = open.get(agent) ?? new Set<string>();
    open.set(agent, known);
    return known;
  };
  const idOf = ({ orderId, step, attempt }: Request) => attemptOf(orderId, step, attempt);

  const membersOf = (agent: AgentName) => pools.get(agent) ?? [agent];
  const hasSlot = (agent: AgentName) => openOf(agent).size < concurrency;

  /** R22: a slot of an agent that is free is given to a step that waits for it, or for its pool. */
  function look(agent: AgentName): void {
    for (const name of servedBy(agent, pools)) lookAt(name);
  }

  /** @param agent an agent or a pool */
  function lookAt(agent: AgentName): void {
    const service = serviceOf(agent);
    const isUsable =
      service !== 'unavailable' &&
      membersOf(agent).some(hasSlot) &&
      // The gate of a step that waited for an operator, or for a slot, stays as it was when a limit of its agent is full.
      [...held.values()].some((one) => waitsFor(one, agent, now()) && haveRoom(agent, one));
    if (!isUsable) {
      unused.delete(agent);
      return;
    }
    const seen = unused.get(agent);
    if (seen === undefined || seen.faults !== faults()) {
      unused.set(agent, { since: now(), faults: faults() });
      return;
    }
    const isClosed = service === 'available';
    if (now() - seen.since <= (isClosed ? unusedMaxMs : unusedMaxInCircuitMs)) return;
    unused.delete(agent);
    breach(
      isClosed ? 'R22' : 'R23',
      `${agent} has a free slot since ${now() - seen.since} ms, and a step waits for it`,
    );
  }

  return {
    /** R21: no slot is held twice, and no more requests are sent than begin at once, or nearly. */
    sent(requests: readonly Request[]) {
      for (const request of requests) {
        const { agent } = request;
        const own = openOf(agent);
        if (own.has(idOf(request))) breach('R21', `${idOf(request)} has two slots of ${agent}`);
        own.add(idOf(request));
        // Short calls are sent ahead, at most as many again.
        if (own.size > 2 * concurrency) breach('R21', `${own.size} requests to ${agent} at once`);
        // A limit can leave fewer calls at once than the agent has slots.
        for (const name of servedBy(agent, pools)) unused.delete(name);
        look(agent);
      }
    },
    ended(request: Request) {
      openOf(request.agent).delete(idOf(request));
      look(request.agent);
    },
    stored(record: ProcessRecord) {
      const before = held.get(record.orderId);
      if (record.isHeld === true) held.set(record.orderId, record);
      else held.delete(record.orderId);
      if (before === undefined && record.isHeld === undefined) return;
      for (const agent of new Set(record.steps.map((step) => step.agent))) look(agent);
    },
    /** The store refused a write of the order for good: its message is parked, and it waits for a sweep. */
    refused: (orderId: OrderId) => held.delete(orderId),
    /** Whether the agent, or a member of the pool, makes fewer calls than it can. */
    hasSlot: (agent: AgentName) => membersOf(agent).some(hasSlot),
    /** At the end of the process: what waits still. */
    lookAtAll() {
      for (const agent of open.keys()) look(agent);
    },
  };
}

/** The agent, and the pools of which it is a member. */
function servedBy(agent: AgentName, pools: SlotCheckerOptions['pools']) {
  const of = [...pools].flatMap(([pool, members]) => (members.includes(agent) ? [pool] : []));
  return [agent, ...of];
}

/** Whether the order could begin a call of the agent now: it does not cool down, or wait for anything else. */
function waitsFor(record: ProcessRecord, agent: AgentName, at: number) {
  return (
    isClaimable(record, at) &&
    record.steps.some(
      ({ agent: own, progress }) =>
        // It was refused by a limit, of which the room is checked elsewhere.
        own === agent && waitsForAgent(progress) && progress.gate !== 'limit',
    )
  );
}
