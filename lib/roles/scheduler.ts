/** The Scheduler: claims orders, starts their steps, records the replies of agents, runs the undo. */

import type { OrderContext } from '#core/decide/start-step.ts';
import { checkedOutput } from '#core/definition/output.ts';
import type { AgentEvent, RecordEvent } from '#core/model/event.ts';
import { cutFault } from '#core/model/fault.ts';
import type { AgentName, OrderId, SchedulerId } from '#core/model/ids.ts';
import type { Nudge, Reply } from '#core/model/message.ts';
import { findStep, type ProcessRecord } from '#core/model/record.ts';
import { redaction } from '#core/view/redaction.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import { deliveryOf, earlyMaxMs } from './event-delivery.ts';
import type { LineKeeper } from './singleton/line-keeper.ts';
import type { EventFor, Outcome, Transitions } from './transitions/transitions.ts';

/** Handles nudges and replies. */
export interface Scheduler {
  /** Returns one delivery per nudge, in the same order. */
  onNudges(nudges: readonly Nudge[]): Promise<readonly Delivery[]>;
  /** @param agent the agent whose reply channel delivered the replies */
  onReplies(agent: AgentName, replies: readonly Reply[]): Promise<readonly Delivery[]>;
}

/** The ports of {@link scheduler}. */
export interface SchedulerPorts {
  /** Names the process in the locks of orders. */
  readonly id: SchedulerId;
  readonly transitions: Transitions;
  /** Follows the writes of orders with a singleton key. Default: there are none. */
  readonly lines?: LineKeeper;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: gates that know what waits start it themselves. */
  readonly heldSteps?: HeldStarter;
}

/** Starts steps that wait for an agent, because its replies say that it can begin more calls. */
export interface HeldStarter {
  /** Learns from the replies before they are applied. */
  observe(agent: AgentName, replies: readonly Reply[]): void;
  /**
   * Learns from the records of the orders, after the replies were applied. Gives the replies that are to be delivered again, although
   * they were applied: what they change besides the records could not be stored. Never rejects.
   */
  applied(
    replies: readonly Reply[],
    records: readonly ProcessRecord[],
  ): Promise<ReadonlySet<Reply>>;
  /**
   * The orders to claim after the replies of the agent were applied. Never rejects: what is not started now is started
   * after a later reply, or by a sweep.
   *
   * @param records the orders of the replies
   */
  next(
    agent: AgentName,
    replies: readonly Reply[],
    records: readonly ProcessRecord[],
  ): Promise<readonly OrderId[]>;
  /** Others to claim instead of those that had started before. Never rejects. */
  more(agent: AgentName, tried: Tried): Promise<readonly OrderId[]>;
  /** After a batch: resolves when what others must know of it is stored. Never rejects. */
  settled(): Promise<void>;
}

/** Orders that were to start. */
export interface Tried {
  readonly asked: readonly OrderId[];
  /** Those that another instance had started first. */
  readonly overtaken: readonly OrderId[];
  /** Those whose gates are still closed. */
  readonly stillHeld: readonly OrderId[];
  /** No others are to be claimed. */
  readonly isLast: boolean;
}

const isStillHeld = (outcome: Outcome | undefined) =>
  outcome?.kind === 'ignored' && outcome.reason === 'still-held';
/** Whether another instance has started the order. */
const isOvertaken = (outcome: Outcome | undefined) =>
  outcome?.kind === 'ignored' && !isStillHeld(outcome);

/** Orders that others have started already are replaced so often. */
const roundsMax = 3;

/** Makes a Scheduler. */
export function scheduler({
  id,
  transitions,
  lines,
  clock,
  log,
  heldSteps,
}: SchedulerPorts): Scheduler {
  /** The clock of the sender is ahead of this one: acknowledged now, the nudge would be of no use. An order that waits for gates found them closed. */
  const isEarly = ({ at }: Nudge, outcome: Outcome) =>
    at !== undefined &&
    outcome.kind === 'ignored' &&
    (outcome.reason === 'not-before' || outcome.reason === 'still-held') &&
    outcome.record.notBefore === at &&
    at - clock.now() <= earlyMaxMs;

  const apply = async (batch: readonly EventFor[]) => {
    const outcomes = await transitions.apply(batch);
    return lines === undefined ? outcomes : lines.follow(outcomes);
  };

  const start = (orderIds: readonly OrderId[]) =>
    apply(orderIds.map((orderId) => ({ orderId, event: (record) => startOf(record, id) })));

  /** Gives the replies that are to be delivered again. */
  async function startHeld(
    { applied, next, more, settled }: HeldStarter,
    agent: AgentName,
    replies: readonly Reply[],
    outcomes: readonly Outcome[],
  ): Promise<ReadonlySet<Reply>> {
    const records = outcomes.flatMap((outcome) => ('record' in outcome ? [outcome.record] : []));
    const unfinished = await applied(replies, records);
    let orderIds = await next(agent, replies, records);
    for (let rounds = 0; orderIds.length > 0; rounds += 1) {
      const started = await start(orderIds);
      const overtaken = orderIds.filter((_, at) => isOvertaken(started[at]));
      const stillHeld = orderIds.filter((_, at) => isStillHeld(started[at]));
      const isLast = rounds === roundsMax;
      orderIds = await more(agent, { asked: orderIds, overtaken, stillHeld, isLast });
    }
    await settled();
    return unfinished;
  }

  return {
    async onNudges(nudges) {
      const outcomes = await start(nudges.map(({ orderId }) => orderId));
      await heldSteps?.settled();
      return outcomes.map((outcome, place) => {
        const nudge = nudges[place];
        return nudge !== undefined && isEarly(nudge, outcome)
          ? { kind: 'retry' }
          : deliveryOf(outcome, log);
      });
    },
    async onReplies(agent, replies) {
      heldSteps?.observe(agent, replies);
      const outcomes = await apply(
        replies.map((reply) => ({
          orderId: reply.orderId,
          event: (record: ProcessRecord, known: OrderContext | null) =>
            eventOf(agent, reply, record, known),
        })),
      );
      const unfinished = heldSteps && (await startHeld(heldSteps, agent, replies, outcomes));
      return outcomes.map((outcome, place) => {
        const reply = replies[place];
        const delivery = deliveryOf(outcome, log);
        const isUnfinished = reply !== undefined && unfinished?.has(reply) === true;
        return isUnfinished && delivery.kind === 'done' ? { kind: 'retry' } : delivery;
      });
    },
  };
}

/** A nudge asks for a claim, or, when the order is Processing, for a start of its held steps. */
function startOf({ processState, isHeld }: ProcessRecord, by: SchedulerId): RecordEvent {
  return { type: processState === 'Processing' && isHeld === true ? 'resume' : 'claim', by };
}

function eventOf(
  agent: AgentName,
  { step, attempt, action, result }: Reply,
  record: ProcessRecord,
  known: OrderContext | null,
): AgentEvent {
  const from = { step, attempt, agent };
  switch (result.kind) {
    case 'heartbeat':
      return { type: 'heartbeat', ...from };
    case 'deferred': {
      const { gate, retryAfterMs } = result;
      return { type: 'deferred', ...from, gate, retryAfterMs };
    }
    case 'failed':
      return {
        type: action === 'undo' ? 'undoFailed' : 'stepFailed',
        ...from,
        // Services quote their input in faults, and operators, logs and status messages show faults.
        fault: cutFault(redaction(record, known).fault(result.fault)),
      };
    case 'succeeded': {
      if (action === 'undo') return { type: 'undoSucceeded', ...from };
      const checked = checkedOutput(result.output, findStep(record, step) && definitionOf());
      return 'fault' in checked
        ? { type: 'stepFailed', ...from, fault: checked.fault }
        : { type: 'stepSucceeded', ...from, output: checked.output };
    }
  }

  function definitionOf() {
    return known?.definition.steps.find((candidate) => candidate.name === step);
  }
}
