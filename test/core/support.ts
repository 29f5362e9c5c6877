/**
 * Small workflows, named events, and short texts of records and commands, so that tables of transitions
 * need one line per transition.
 */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { decide, type IgnoredReason } from '#core/decide/decide.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import { submitted } from '#core/decide/submit.ts';
import type { UndoAbility } from '#core/definition/agent.ts';
import { definePool, type Failover, type MemberOptions } from '#core/definition/agent-pool.ts';
import { type PolicyOptions, stepPolicy } from '#core/definition/step-policy.ts';
import { checkWorkflow } from '#core/definition/workflow-check.ts';
import type { StepContext, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { RecordEvent, Reprioritise } from '#core/model/event.ts';
import type { Effect } from '#core/model/fault.ts';
import type { Gate, Hold } from '#core/model/hold.ts';
import {
  type AgentName,
  agentName,
  orderId,
  type StepName,
  schedulerId,
  stepName,
  workflowName,
  writeId,
} from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { Command } from '#core/model/message.ts';
import {
  type Priority,
  type ProcessRecord,
  type StepRecord,
  underWay,
} from '#core/model/record.ts';

/** The instant of the submission; all other instants of a test count from it. */
export const epoch = 1_700_000_000_000;
export const order = orderId('o-1');

export interface StepSpec extends Omit<PolicyOptions, 'undo'> {
  readonly after?: readonly string[];
  readonly undo?: UndoAbility;
  /** Default: the usual one, as where a workflow states none. */
  readonly undoPolicy?: NonNullable<PolicyOptions['undo']>;
  readonly when?: (context: StepContext) => boolean;
  readonly input?: (context: StepContext) => JsonValue;
  readonly outputBytesMax?: number;
  /** Its agent is a pool of these members. */
  readonly pool?: Readonly<Record<string, MemberOptions>>;
  /** Of its pool. Default `wait`. */
  readonly failover?: Failover;
}

/** A workflow of these steps; each has 1 s, one retry, and an agent or a pool called `svc-` and its name. */
export function flow(
  steps: Readonly<Record<string, StepSpec>>,
  options: Pick<
    Parameters<typeof checkWorkflow>[0],
    'completeWithinMs' | 'onLate' | 'singleton'
  > = {},
): WorkflowDefinition {
  return checkWorkflow({
    ...options,
    name: workflowName('flow'),
    version: 1,
    details: z.json(),
    sensitive: () => [],
    steps: Object.entries(steps).map(([name, spec]) => {
      const { undo: _, undoPolicy, failover = 'wait', ...policy } = spec;
      const irreversible = spec.irreversible ?? false;
      const undo = spec.undo ?? (irreversible ? 'impossible' : 'offered');
      return {
        name: stepName(name),
        agent: agentName(`svc-${name}`),
        ...(spec.pool !== undefined && {
          pool: poolOf(`svc-${name}`, spec.pool, undo, failover).pool,
          failover,
        }),
        undo,
        output: z.json(),
        outputBytesMax: spec.outputBytesMax,
        sensitive: { input: () => [], output: () => [] },
        after: (spec.after ?? []).map(stepName),
        policy: stepPolicy(
          {
            ...policy,
            ...(undoPolicy !== undefined && { undo: undoPolicy }),
            completeWithin: spec.completeWithin ?? 1_000,
            retries: spec.retries ?? 1,
          },
          undo,
        ),
        input: spec.input ?? (({ outputs }) => ({ for: name, outputs })),
        when: spec.when ?? null,
      };
    }),
  });
}

export const poolOf = (
  name: string,
  members: Readonly<Record<string, MemberOptions>>,
  undo: UndoAbility = 'offered',
  failover: Failover = 'wait',
) => definePool({ name, input: z.json(), output: z.json(), undo, members, failover });

/** a and b, then c, then d, which is irreversible. */
export function diamond(specs: Readonly<Record<string, StepSpec>> = {}): WorkflowDefinition {
  return flow({
    a: { ...specs['a'] },
    b: { ...specs['b'] },
    c: { after: ['a', 'b'], ...specs['c'] },
    d: { after: ['c'], irreversible: true, ...specs['d'] },
  });
}

/** An order at some moment, computed on access, and the context of its decisions. */
export interface Situation {
  readonly record: ProcessRecord;
  readonly known: OrderContext;
}

export function submit(definition: WorkflowDefinition): Situation {
  const event = { type: 'submit', by: 'ada', orderId: order, priority: 'high' } as const;
  return {
    known: { definition, details: { n: 1 } },
    get record() {
      const submission = { ...event, tenant: 'acme', replyTo: 'shop', correlationId: 'po-7' };
      return submitted(submission, definition, epoch, writeId('w-1')).record;
    },
  };
}

/** @throws when the event is ignored */
export function apply(
  record: ProcessRecord,
  event: RecordEvent,
  nowMs: number,
  known: OrderContext | null,
): ProcessRecord {
  const decision = decide(record, event, known, nowMs);
  if (decision.kind === 'ignored') throw new Error(`${event.type} ignored: ${decision.reason}`);
  return decision.record;
}

/** The order after these events, each at its ms after the submission; computed on access. */
export function play(
  from: Situation,
  ...script: readonly (readonly [number, RecordEvent])[]
): Situation {
  const { known } = from;
  return {
    known,
    get record() {
      return script.reduce(
        (record, [ms, event]) => apply(record, event, epoch + ms, known),
        from.record,
      );
    },
  };
}

/** What the gate of a step says that lets no call through; `until`: ms after the submission. */
export interface Said {
  readonly hold: Gate;
  readonly until: number;
}

/** The same order with these answers of the gates, and these members of pools, without `svc-`. */
export function gated(
  situation: Situation,
  said: Readonly<Record<string, Said>>,
  chosen: Readonly<Record<string, string>> = {},
): Situation {
  const holds = Object.entries(said).map(([step, { hold: gate, until }]): [StepName, Hold] => [
    stepName(step),
    { gate, until: epoch + until },
  ]);
  const agents = Object.entries(chosen).map(([step, agent]): [StepName, AgentName] => [
    stepName(step),
    agentName(`svc-${agent}`),
  ]);
  return {
    known: {
      ...situation.known,
      holds: new Map(holds),
      ...(agents.length > 0 && { agents: new Map(agents) }),
    },
    get record() {
      return situation.record;
    },
  };
}

const ofAttempt = (step: string, attempt: number) => ({
  step: stepName(step),
  attempt,
  agent: agentName(`svc-${step}`),
});
const fault = (effect: Effect) => ({ code: 'refused', message: 'No.', effect });

export const claim = (by = 's-1'): RecordEvent => ({ type: 'claim', by: schedulerId(by) });
export const resume: RecordEvent = { type: 'resume', by: schedulerId('s-1') };
export const ok = (step: string, attempt = 1, output: JsonValue = `${step} done`): RecordEvent => ({
  type: 'stepSucceeded',
  ...ofAttempt(step, attempt),
  output,
});
export const no = (step: string, attempt = 1, effect: Effect = 'none'): RecordEvent => ({
  type: 'stepFailed',
  ...ofAttempt(step, attempt),
  fault: fault(effect),
});
export const beat = (step: string, attempt = 1): RecordEvent => ({
  type: 'heartbeat',
  ...ofAttempt(step, attempt),
});
export const defer = (step: string, attempt = 1, retryAfterMs = 0): RecordEvent => ({
  type: 'deferred',
  ...ofAttempt(step, attempt),
  gate: 'circuit',
  retryAfterMs,
});
export const undoOk = (step: string, attempt = 2): RecordEvent => ({
  type: 'undoSucceeded',
  ...ofAttempt(step, attempt),
});
export const undoNo = (step: string, attempt = 2): RecordEvent => ({
  type: 'undoFailed',
  ...ofAttempt(step, attempt),
  fault: fault('possible'),
});
export const expire: RecordEvent = { type: 'expired' };
/** `steps`: the steps that an outage delayed. */
export const interrupt = (
  reason: 'restart' | 'outage',
  ms: number,
  steps: readonly string[] = ['a', 'b', 'c', 'd'],
): RecordEvent => {
  const event = { type: 'interrupted', notBefore: epoch + ms } as const;
  return reason === 'restart'
    ? { ...event, reason }
    : { ...event, reason, steps: steps.map((step) => stepName(step)) };
};
export const resubmit: RecordEvent = { type: 'resubmit', by: 'olga' };
export const cancel: RecordEvent = { type: 'cancel', by: 'olga' };
export const reprioritise = (priority: Priority): Reprioritise => ({
  type: 'reprioritise',
  by: 'olga',
  priority,
});

const letters = {
  NotStarted: '-',
  Held: 'H',
  Running: 'R',
  Completed: 'C',
  Failed: 'F',
  Skipped: 'S',
  Undoing: 'U',
  Undone: 'D',
} as const;

/** The event, from this agent instead of `svc-` and the name of the step. */
export const by = (agent: string, event: RecordEvent): RecordEvent =>
  'agent' in event ? { ...event, agent: agentName(`svc-${agent}`) } : event;

/** ` at ` and the agent, without `svc-`, where that is not the name of the step. */
const atAgent = (step: string, agent: AgentName) =>
  agent === `svc-${step}` ? '' : ` at ${agent.replace('svc-', '')}`;

/**
 * One line per record: its state, then one word per step: name, letter of the state (and of what is
 * undone), attempt, `*` key generation, `!` failures, `~` failures of its performs while it is undone first, or `=` when
 * that is done, with those of its undos; `<` complete-by, `/` end-by where later, `?` in doubt until, where that is not
 * complete-by, the member of a pool.
 */
function show(record: ProcessRecord): string {
  const head = [
    record.processState,
    record.direction === 'undo' ? ' undo' : '',
    record.processState === 'Error' ? `(${record.fault.code})` : '',
    record.notBefore > record.updatedAt ? ` from ${record.notBefore - epoch}` : '',
  ];
  const steps = record.steps.map((step) => {
    const { progress } = step;
    const before =
      progress.state === 'Undoing' || progress.state === 'Undone' || progress.state === 'Held'
        ? letters[progress.before.state].toLowerCase()
        : '';
    const out = underWay(progress) ? progress : null;
    const words = [
      `${step.name}:${letters[progress.state]}${before}`,
      step.attempt > 0 ? step.attempt : '',
      step.keyGeneration > 1 ? `*${step.keyGeneration}` : '',
      step.failures > 0 ? `!${step.failures}` : '',
      undoFirstText(step),
      progress.state === 'Held' ? `@${progress.gate} ${progress.until - epoch}` : '',
      out === null ? '' : `<${out.completeBy - epoch}`,
      out === null || out.endBy === out.completeBy ? '' : `/${out.endBy - epoch}`,
      step.doubtUntil === null || (out?.state === 'Running' && out.completeBy === step.doubtUntil)
        ? ''
        : `?${step.doubtUntil - epoch}`,
      atAgent(step.name, step.agent),
    ];
    return words.join('');
  });
  return [head.join(''), ...steps].join(' ');
}

function undoFirstText({ undoFirst }: StepRecord): string {
  if (undoFirst === undefined) return '';
  const { performFailures } = undoFirst;
  return undoFirst.isDone ? `=${performFailures}+${undoFirst.undoFailures}` : `~${performFailures}`;
}

/** `nudge`, with its instant if it is delayed, or the action, step, attempt, key, `<` complete-by, `/` end-by, the member of a pool. */
function showCommand(command: Command): string {
  if (command.kind === 'nudge') {
    const { at } = command.nudge;
    return at === undefined ? 'nudge' : `nudge at ${at - epoch}`;
  }
  const { action, step, agent, attempt, idempotencyKey, completeBy, endBy } = command.request;
  const end = endBy === completeBy ? '' : `/${endBy - epoch}`;
  return `${action} ${step}${attempt} ${idempotencyKey} <${completeBy - epoch}${end}${atAgent(step, agent)}`;
}

/** The effect of the event: one line for the record and one per command, or why it is ignored. */
export function effectOf(
  { record, known }: Situation,
  event: RecordEvent,
  ms: number,
): readonly string[] {
  const decision = decide(record, event, known, epoch + ms);
  if (decision.kind === 'ignored') return [`ignored: ${decision.reason}`];
  return [show(decision.record), ...decision.commands.map(showCommand)];
}

/** Title, situation, time (ms after the submission), event, and the expected effect. */
export type Transition = readonly [string, Situation, number, RecordEvent, readonly string[]];

/** One test per row. */
export function transitions(rows: readonly Transition[]): void {
  it.each(rows)('%s', (_, situation, ms, event, expected) => {
    expect(effectOf(situation, event, ms)).toEqual(expected);
  });
}

export const ignored = (reason: IgnoredReason): readonly string[] => [`ignored: ${reason}`];
