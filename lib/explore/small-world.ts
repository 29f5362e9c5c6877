/**
 * A world that is small enough for a complete exploration: one order and the real `decide`; Schedulers,
 * agents, Supervisors and operators that can act at any moment; queues that lose, duplicate and delay
 * messages; and services that deduplicate by key.
 */
import type { Decision, decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { Action, AgentName, IdempotencyKey, StepName } from '#core/model/ids.ts';
import { orderId, writeId } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { ProcessRecord } from '#core/model/record.ts';

/** How often each fault and each operator command can still happen. */
export interface Budgets {
  readonly duplicates: number;
  readonly losses: number;
  readonly crashes: number;
  /** Permanent refusals of a service, also of an undo, and failures after it may have acted. */
  readonly declines: number;
  readonly cancels: number;
  readonly resubmits: number;
}

/** The configuration of a world. */
export interface SmallWorld {
  readonly name: string;
  /** What the world tests, in one line. */
  readonly about: string;
  readonly workflow: WorkflowDefinition;
  readonly budgets: Budgets;
  /** Of its order. Default: no fields. */
  readonly details?: JsonValue;
  /** What each step returns, by its name. Default: null. */
  readonly outputs?: Readonly<Record<string, JsonValue>>;
  /** The function under test; tests replace it by one with a planted mistake. */
  readonly decide: typeof decide;
}

/** A request in flight, or one that an agent processes. */
export interface Call {
  readonly step: StepName;
  readonly agent: AgentName;
  readonly attempt: number;
  readonly action: Action;
  readonly completeBy: number;
  readonly performKey: IdempotencyKey;
}

/** The result of a call; `unsure`: it failed, and may have had an effect. */
export type Answer = 'succeeded' | 'failed' | 'unsure';
/** A reply in flight. */
export type Reply = Omit<Call, 'completeBy' | 'performKey'> & { readonly answer: Answer };

/** The state of a key in a service. `refused` and `tombstone` are final. */
export type Effect = 'none' | 'applied' | 'undone' | 'tombstone' | 'refused';

/** One state of a world. */
export interface WorldState {
  readonly nowMs: number;
  readonly record: ProcessRecord;
  readonly nudges: number;
  readonly requests: readonly Call[];
  readonly working: readonly Call[];
  readonly replies: readonly Reply[];
  /** By {@link ledgerEntry}. */
  readonly effects: Readonly<Record<string, Effect>>;
  readonly left: Budgets;
}

/** A transition to another state. */
export interface Move<State = WorldState> {
  readonly label: string;
  readonly next: State;
  /** The decision; null for moves without one. */
  readonly decision: Decision | null;
}

const write = writeId('w');

/** The state after the submission. */
export function firstState({ workflow, budgets }: SmallWorld): WorldState {
  const event = {
    type: 'submit',
    by: 'u',
    orderId: orderId('o'),
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
  } as const;
  const { record } = submitted(event, workflow, 0, write);
  return {
    nowMs: 0,
    record,
    nudges: 1,
    requests: [],
    working: [],
    replies: [],
    effects: {},
    left: budgets,
  };
}

/** The pools of a world, which has one at most. */
export const poolsIn = ({ workflow }: Pick<SmallWorld, 'workflow'>) =>
  workflow.steps.flatMap(({ name: step, pool: members }) =>
    members === undefined ? [] : [{ step, members }],
  );

const beforeDomain = '@';

/** A key in the ledger of the service that the call goes to: the members of a domain have one ledger. */
export function ledgerEntry(
  world: Pick<SmallWorld, 'workflow'>,
  { agent, performKey }: Call,
): string {
  const domains = poolsIn(world).flatMap(({ members }) =>
    members.flatMap((member) => (member.agent === agent ? [member.domain] : [])),
  );
  return [performKey, ...domains].join(beforeDomain);
}

/** The key of an entry in a ledger. */
export const keyOfEntry = (entry: string): string => entry.split(beforeDomain)[0] ?? entry;
