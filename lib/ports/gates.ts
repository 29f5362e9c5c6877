/**
 * Gates: whether the agents of an order can begin a call now, and what operators have changed of agents. A gate only delays calls: the
 * policy of a step ends a hold (R23).
 */
import type { AgentChange, AgentSettings } from '#core/definition/agent-settings.ts';
import type { Hold } from '#core/model/hold.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { CallSlots, Request } from '#core/model/message.ts';

/** Null: the call may begin. Slots: it may begin with them, which its request is sent with. */
export type GateAnswer = Hold | CallSlots | null;
/** One answer per request. */
export type GateAnswers = readonly GateAnswer[];

/** Whether the answer holds the step. */
export const isHold = (answer: GateAnswer): answer is Hold => answer !== null && 'gate' in answer;

/** Whether the answer has slots. */
export const hasSlots = (answer: GateAnswer): answer is CallSlots =>
  answer !== null && !isHold(answer);

/**
 * So long after it was asked for, a slot is still valid for an attempt that is decided then, ms. Its complete-by is later by as much than
 * that of the request that was asked for, which the grace of leases covers.
 */
export const slotsLastMs = 2_000;

/** The gates of the agents that have one. */
export interface Gates {
  /**
   * Whether these requests of one order may be sent now; one answer per request, in the same order. Null: it may, and has a
   * slot of the agent for this very object, until `release` or the end of its attempt. A promise only where something must
   * be read first.
   *
   * @param hasWaited a step of the order waits already, so that it may pass those that come
   */
  ask(requests: readonly Request[], hasWaited: boolean): GateAnswers | Promise<GateAnswers>;
  /**
   * Whether a step that may go to another agent as well should ask this one: not while its circuit is open and steps wait for
   * it, because those are its probes. Advice only. Default: it should.
   */
  isAvailable?(agent: AgentName): boolean;
  /** Gives back the slots of requests that are not sent. */
  release(requests: readonly Request[]): void;
  /**
   * True: the gates nudge the orders that they hold, as soon as one may start a call. The instant until which a step is held
   * is then only the fallback, and no message is sent for it. Such gates learn from the written records which steps wait,
   * so every decision that holds a step is written.
   */
  readonly nudgeHeld?: boolean;
}

/** What operators have changed of agents and limits, as it is stored. Every method may throw {@link UnavailableError}. */
export interface AgentSettingStore {
  /** The answer may be some seconds old where another instance changes it. */
  read(): Promise<AgentSettings>;
  /** @param name of an agent, or of a limit */
  store(name: string, change: AgentChange): Promise<void>;
}

/** What one process knows of it. */
export interface KnownSettings {
  /** The same object until something changes. */
  current(): AgentSettings;
  /** Reads what others may have changed; undefined while what is known is new enough. Never rejects. */
  refresh?(): Promise<void> | undefined;
}
