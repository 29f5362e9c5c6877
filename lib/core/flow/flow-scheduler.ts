/**
 * Start-time fair queueing: which flow is served next, so that each flow with work gets its share by weight (R24).
 * fair-queue.ts holds the work itself.
 *
 * Each flow has a start tag, the virtual time at which its next item starts. The flow with the smallest tag is served,
 * and its tag grows by 1 / weight. The virtual time is that of generalized processor sharing (the fluid server that
 * serves all flows at once, by weight): the weighted mean of the tags of all flows in the fluid server. Therefore
 *
 * 1. A flow that becomes active starts at the virtual time: it has no credit from the time in which it had no work.
 * 2. An idle flow stays until the virtual time has reached its tag. Otherwise a flow that has one item at a time would
 *    start anew with each item, before all flows with more items.
 * 3. Serving a flow advances the virtual time even when that flow is new. If the virtual time were the tag of the flow
 *    in service, an endless sequence of new flows would starve the others.
 *
 * While n flows are in the fluid server, no flow is more than n items behind its share there.
 */
import { assertThat } from '#core/model/errors.ts';
import { type HeapNode, indexedHeap } from './indexed-heap.ts';

/** The state of one flow. Only the scheduler changes it. */
export interface Flow extends HeapNode {
  weight: number;
  /** The virtual time at which its next item starts. */
  start: number;
  /** Breaks ties: the order in which the flows became active. */
  turn: number;
  /** `idle`: without work, and the fluid server has not finished what was served. */
  state: 'absent' | 'active' | 'idle';
}

/** A flow without work and without a past. */
export const newFlow = (weight: number): Flow => ({
  at: 0,
  weight: checkedWeight(weight),
  start: 0,
  turn: 0,
  state: 'absent',
});

/** Chooses among flows. */
export interface FlowScheduler<Own extends Flow> {
  /** The flow to be served next; undefined when no flow has work. */
  next(): Own | undefined;
  /** The flow has work from now on. */
  activate(flow: Own): void;
  /** One item of the flow was served. */
  serve(flow: Own): void;
  /** The item that the flow was served last is not served after all. */
  giveBack(flow: Own): void;
  /** The flow has no work any more. */
  deactivate(flow: Own): void;
  /** Changes the weight of a flow, also while it waits. */
  reweigh(flow: Own, weight: number): void;
}

/** Makes a scheduler without flows. `onAbsent` is called when a flow has left the fluid server and may be forgotten. */
export function flowScheduler<Own extends Flow>(onAbsent: (flow: Own) => void): FlowScheduler<Own> {
  const active = indexedHeap<Own>(isBefore);
  const idle = indexedHeap<Own>(isBefore);
  let turns = 0;
  /** The weights of the flows in the fluid server, and their tags multiplied by their weights. */
  let weights = 0;
  let weightedStarts = 0;

  const virtualTime = () => (weights === 0 ? 0 : weightedStarts / weights);

  /** Removes the flows that the fluid server has finished. Both servers run out of work at the same time. */
  function expire(): void {
    for (let flow = idle.first(); flow !== undefined; flow = idle.first()) {
      if (active.size() > 0 && flow.start > virtualTime()) return;
      idle.remove(flow);
      flow.state = 'absent';
      weights -= flow.weight;
      weightedStarts -= flow.weight * flow.start;
      onAbsent(flow);
    }
    // Exact again after many roundings.
    if (active.size() === 0) {
      weights = 0;
      weightedStarts = 0;
    }
  }

  return {
    next: active.first,
    activate(flow) {
      if (flow.state === 'active') return;
      if (flow.state === 'idle') idle.remove(flow);
      else {
        flow.start = virtualTime();
        weights += flow.weight;
        weightedStarts += flow.weight * flow.start;
      }
      flow.state = 'active';
      turns += 1;
      flow.turn = turns;
      active.add(flow);
    },
    serve(flow) {
      flow.start += 1 / flow.weight;
      weightedStarts += 1;
      active.moved(flow);
      expire();
    },
    giveBack(flow) {
      if (flow.state === 'absent') return;
      flow.start -= 1 / flow.weight;
      weightedStarts -= 1;
      (flow.state === 'active' ? active : idle).moved(flow);
    },
    deactivate(flow) {
      active.remove(flow);
      flow.state = 'idle';
      idle.add(flow);
      expire();
    },
    reweigh(flow, weight) {
      const before = flow.weight;
      flow.weight = checkedWeight(weight);
      if (flow.state === 'absent' || before === weight) return;
      // The flow keeps its distance from its share, counted in items, so that the virtual time does not change.
      const now = virtualTime();
      flow.start = now + ((flow.start - now) * before) / weight;
      weights += weight - before;
      weightedStarts += now * (weight - before);
      (flow.state === 'active' ? active : idle).moved(flow);
    },
  };
}

/** Among equal tags the heavier flow is first, because its next item has less time in the fluid server. */
function isBefore(one: Flow, other: Flow): boolean {
  if (one.start !== other.start) return one.start < other.start;
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.turn < other.turn;
}

function checkedWeight(weight: number): number {
  assertThat(weight > 0 && weight < Infinity, `${weight} is a positive, finite weight`);
  return weight;
}
