/**
 * A small world around `decide`: one order, a store with conditional writes, agents that reply late, twice
 * or wrongly, concurrent sweeps and Schedulers, a clock that jumps, and operators that act at any time.
 * rules.ts checks what happens in it.
 */
import fc from 'fast-check';
import { recordBytes } from '#core/codec/record-size.ts';
import { type Decision, decide } from '#core/decide/decide.ts';
import { dueAt, dueHorizonMs } from '#core/decide/due.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import type { StepContext, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { effects } from '#core/model/fault.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { Hold, Holds } from '#core/model/hold.ts';
import { type AgentName, agentName, type StepName, schedulerId } from '#core/model/ids.ts';
import { isObject, type JsonValue } from '#core/model/json.ts';
import type { Command, Request } from '#core/model/message.ts';
import { remedies } from '#core/model/policy.ts';
import { type ProcessRecord, priorities, underWay } from '#core/model/record.ts';
import { epoch, flow, type StepSpec, submit } from './support.ts';

const dayMs = 24 * 3_600_000;

/** One call of `decide`, and whether its record was written. */
export interface Observed {
  readonly before: ProcessRecord;
  readonly event: RecordEvent;
  readonly known: OrderContext | null;
  readonly definition: WorkflowDefinition;
  readonly nowMs: number;
  readonly decision: Decision;
  readonly committed: boolean;
  /** Every request of the writes before this one. */
  readonly sent: readonly Request[];
}

export interface World {
  readonly known: OrderContext;
  /** Every record that was written, in the order of the writes. */
  readonly written: ProcessRecord[];
  readonly sent: Request[];
  nowMs: number;
}

export type Observer = (seen: Observed) => void;

const outputs: readonly JsonValue[] = ['yes', 'no', 7, null, { nested: [1, 'x', { y: null }] }];

const rarely = (times: number) => fc.nat({ max: times - 1 }).map((dice) => dice === 0);

const step = fc.record({
  after: fc.nat({ max: 63 }),
  completeWithin: fc.constantFrom(50, 200, 1_000),
  stretch: fc.constantFrom(1, 3),
  retries: fc.nat({ max: 2 }),
  coolDown: fc.record({
    after: fc.constantFrom(100, 2_000),
    times: fc.nat({ max: 2 }),
    factor: fc.constantFrom(1, 1, 1.7, 10),
    max: fc.constantFrom(2_000, 5_000, 7 * dayMs),
  }),
  undoPolicy: fc.constantFrom(
    null,
    { retries: 0, coolDown: { after: 100, times: 0 } },
    { completeWithin: 100, retries: 2, coolDown: { after: 300, times: 1 } },
    { maxDuration: 3_000, coolDown: { after: 100, times: 2, factor: 2.5, max: 300 } },
  ),
  holdMax: fc.constantFrom(1_000, 60_000, dayMs),
  onFault: fc.constantFrom(...remedies),
  onExhausted: fc.constantFrom(...remedies),
  irreversible: rarely(6),
  undo: fc.constantFrom('offered' as const, 'offered' as const, 'unneeded' as const),
  code: fc.constantFrom(
    ...(['plain', 'plain', 'plain', 'of-n', 'if-odd', 'never', 'if-yes', 'if-yes'] as const),
    'broken',
  ),
  pool: fc.constantFrom(
    null,
    null,
    { m0: {}, m1: {} },
    { m0: { weight: 0 }, m1: {}, m2: { domain: 'both' }, m3: { domain: 'both' } },
  ),
  failover: fc.constantFrom('wait' as const, 'undo-first' as const, 'undo-first' as const),
});

const conditions: Readonly<Record<string, (context: StepContext) => boolean>> = {
  never: () => false,
  'if-yes': ({ outputs: seen }) => Object.values(seen).every((output) => output === 'yes'),
  'if-odd': (context) => numberOf(context) % 2 === 1,
};

/** The field of the details that operators correct. */
const numberOf = ({ details }: StepContext): number =>
  isObject(details) && typeof details['n'] === 'number' ? details['n'] : 0;

/** Of the order; a third of all orders have one. */
const deadline = fc.constantFrom({}, {}, {}, {}, { completeWithinMs: 1_000 }, {
  completeWithinMs: 4_000,
  onLate: 'undo',
} as const);

/** A step whose pool undoes it first, with rounds of one attempt. */
const backedStep: typeof step = fc.tuple(step, fc.nat({ max: 2 })).map(([drawn, more]) => ({
  ...drawn,
  retries: more === 2 ? 1 : 0,
  coolDown: { ...drawn.coolDown, times: 1 + more },
  irreversible: false,
  undo: 'offered',
  code: drawn.code === 'never' ? 'plain' : drawn.code,
  pool: drawn.pool ?? { m0: {}, m1: {} },
  failover: 'undo-first',
}));

/** A step whose input or condition operators may correct, and which mostly stops its order when it fails. */
const correctedStep: typeof step = fc.tuple(step, fc.nat({ max: 3 })).map(([drawn, kind]) => ({
  ...drawn,
  retries: 0,
  coolDown: { ...drawn.coolDown, times: 0 },
  onFault: kind === 0 ? 'undo' : 'hold',
  onExhausted: kind === 0 ? 'undo' : 'hold',
  irreversible: false,
  undo: 'offered',
  code: kind === 1 ? 'of-n' : 'if-odd',
}));

/** One to six steps; each comes after some of those before it, and they are written in any order. */
export const workflows: fc.Arbitrary<WorkflowDefinition> = workflowsOf(step, 6);
/** One to three steps, most of which fail over. */
export const backedWorkflows: fc.Arbitrary<WorkflowDefinition> = workflowsOf(
  fc.oneof({ weight: 4, arbitrary: backedStep }, { weight: 1, arbitrary: step }),
  3,
);

/** One to three steps, most of which depend on the field that operators correct. */
export const correctedWorkflows: fc.Arbitrary<WorkflowDefinition> = workflowsOf(
  fc.oneof({ weight: 4, arbitrary: correctedStep }, { weight: 1, arbitrary: step }),
  3,
);

function workflowsOf(steps: typeof step, maxLength: number): fc.Arbitrary<WorkflowDefinition> {
  return fc.noBias(fc.array(steps, { minLength: 1, maxLength })).chain((drawn) => {
    const specs = drawn.map((one, at) => {
      const { after, stretch, code, onExhausted, undoPolicy, pool, failover, ...options } = one;
      const when = conditions[code];
      const isUndone = options.undo === 'offered' && !options.irreversible;
      const spec: StepSpec = {
        ...options,
        maxDuration: options.completeWithin * stretch,
        after: drawn.flatMap((_, to) => (to < at && (after >> to) % 2 === 1 ? [`s${to}`] : [])),
        onExhausted: options.irreversible ? 'hold' : onExhausted,
        ...(when === undefined ? {} : { when }),
        ...(isUndone && undoPolicy !== null && { undoPolicy }),
        ...(code === 'broken' && after % 3 === 0 ? { input: broken } : {}),
        ...(code === 'of-n' && { input: numberOf }),
        ...(pool !== null && { pool }),
        ...(pool !== null && isUndone && options.coolDown.times > 0 && { failover }),
      };
      return [`s${at}`, spec] as const;
    });
    return fc
      .tuple(fc.shuffledSubarray(specs, { minLength: specs.length }), deadline)
      .map(([shuffled, drawnDeadline]) => flow(Object.fromEntries(shuffled), drawnDeadline));
  });
}

const broken = (): never => {
  throw new TypeError('broken');
};

const reply = fc.record({
  kind: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'beat', 'beat', 'beat', 'crossed', 'deferred'),
  pick: fc.nat({ max: 7 }),
  aimed: fc.constantFrom(true, true, true, true, true, false),
  attemptOff: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1),
  byAnother: rarely(16),
  effect: fc.constantFrom(...effects),
  output: fc.constantFrom(...outputs),
});

const doing = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('wait-for-due' as const),
      share: fc.constantFrom(0.01, 0.3, 0.6, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(-700, -3_600_000, 3_600_000, -9 * dayMs, 9 * dayMs),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      definitionUnknown: rarely(25),
    }),
  },
  { weight: 40, arbitrary: fc.record({ do: fc.constant('reply' as const), reply }) },
  { weight: 14, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('interrupt' as const),
      reason: fc.constantFrom('restart' as const, 'outage' as const),
      ramp: fc.constantFrom(-1_000, 0, 3_000, dayMs),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('resubmit' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('correct' as const), n: fc.constantFrom(1, 2, 2, 3) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reprioritise' as const),
      priority: fc.constantFrom(...priorities),
    }),
  },
);

/** What the gate of each step says, by its number; nothing where there is none. */
const gate = fc.constantFrom(
  null,
  null,
  null,
  { gate: 'concurrency', afterMs: 20 } as const,
  { gate: 'circuit', afterMs: 5_000 } as const,
  { gate: 'circuit', afterMs: dayMs } as const,
);

/** The member that a role chooses, by its number: of the pool of each step, of another agent, or none. */
const chosen = fc.constantFrom(null, 0, 0, 1, 1, 2, 2, 3, 4);

/** `lag`: how many revisions the decided record is behind. `twice`: two roles decide at once. */
const move = fc.record({
  what: doing,
  lag: fc.constantFrom(0, 0, 0, 0, 1, 2),
  twice: rarely(8),
  gates: fc.array(gate, { maxLength: 6 }),
  members: fc.array(chosen, { maxLength: 6 }),
});
type What = typeof doing extends fc.Arbitrary<infer Value> ? Value : never;
export type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never;

export const moves: fc.Arbitrary<readonly Move[]> = fc.noBias(
  fc.array(move, { maxLength: 90, size: 'max' }),
);

/** The record with a history that makes it about `bytes` large, to within one entry. */
export function grown(record: ProcessRecord, bytes: number): ProcessRecord {
  const [first] = record.history;
  const step = record.steps[0]?.name;
  if (first === undefined || step === undefined) throw new Error('an order has both');
  const fault = { code: 'refused', message: 'x'.repeat(4_000), effect: 'none' } as const;
  const of = { at: epoch, step, attempt: 1, definitionUnknown: false } as const;
  const entry: HistoryEntry = { type: 'undoFailed', ...of, fault };
  const count = Math.floor((bytes - recordBytes(record)) / 4_050);
  return { ...record, history: [first, ...Array.from({ length: count }, () => entry)] };
}

/** Executes the moves, and passes every decision to the observer. */
export function live(
  definition: WorkflowDefinition,
  happenings: readonly Move[],
  observe: Observer,
  begun: (record: ProcessRecord) => ProcessRecord = (record) => record,
): World {
  const { record, known } = submit(definition);
  const world: World = { known, written: [frozen(begun(record))], sent: [], nowMs: epoch };
  for (const { what, lag, twice, gates, members } of happenings) {
    if (what.do === 'wait') world.nowMs += what.ms;
    else if (what.do === 'wait-for-due') {
      const left = (dueAt(current(world)) ?? world.nowMs) - world.nowMs;
      world.nowMs += Math.ceil(left * what.share);
    } else {
      const event = eventOf(world, what);
      if (event === null) continue;
      const isKnown = what.do !== 'claim' || !what.definitionUnknown;
      const said = { holds: holdsOf(world, gates), agents: agentsOf(world, members) };
      const scheduler = isKnown ? { ...known, ...said } : null;
      const read = world.written.at(-1 - lag) ?? current(world);
      for (let by = twice ? 2 : 1; by > 0; by -= 1) {
        const written = happens(world, read, event, scheduler, observe);
        // After a conflict: read and decide again.
        if (written === 'conflict') happens(world, current(world), event, scheduler, observe);
      }
    }
  }
  return world;
}

/**
 * From now on agents succeed, messages arrive, and sweeps run when the order is due; lost messages stay
 * lost. Returns the record when it is at rest, or null when it never comes to rest.
 */
export function calm(world: World, observe: Observer): ProcessRecord | null {
  const arriving: Command[] = [];
  for (let turn = 0; turn < 3_000; turn += 1) {
    const record = current(world);
    const command = arriving.shift();
    let event: RecordEvent = { type: 'expired' };
    if (command === undefined) {
      const due = dueAt(record);
      if (due === null) return record;
      if (due > world.nowMs && due <= world.nowMs + dueHorizonMs) world.nowMs = due;
    } else if (command.kind === 'nudge') event = taken(record, 'calm');
    else event = success(command.request);
    const before = world.written.length;
    const result = happens(world, record, event, world.known, observe);
    if (typeof result === 'object') arriving.push(...result);
    if (command === undefined && world.written.length === before) return null;
  }
  return null;
}

function holdsOf({ known, nowMs }: World, gates: Move['gates']): Holds {
  return new Map(
    known.definition.steps.flatMap(({ name }, at): [StepName, Hold][] => {
      const said = gates[at] ?? null;
      return said === null ? [] : [[name, { gate: said.gate, until: nowMs + said.afterMs }]];
    }),
  );
}

/** Also members that may not have the call, and agents that are none. */
function agentsOf({ known }: World, members: Move['members']): ReadonlyMap<StepName, AgentName> {
  return new Map(
    known.definition.steps.flatMap(({ name, agent }, at): [StepName, AgentName][] => {
      const member = members[at] ?? null;
      return member === null ? [] : [[name, agentName(`${agent}-m${member}`)]];
    }),
  );
}

export function current(world: World): ProcessRecord {
  const record = world.written.at(-1);
  if (record === undefined) throw new Error('a world begins with a submission');
  return record;
}

function happens(
  world: World,
  before: ProcessRecord,
  event: RecordEvent,
  known: OrderContext | null,
  observe: Observer,
): readonly Command[] | 'conflict' | 'ignored' {
  const { nowMs } = world;
  const decision = frozen(decide(before, frozen(event), known, nowMs));
  const committed = decision.kind === 'transition' && before.revision === current(world).revision;
  const { definition } = world.known;
  observe({ before, event, known, definition, nowMs, decision, committed, sent: world.sent });
  if (decision.kind === 'ignored') return 'ignored';
  if (!committed) return 'conflict';
  world.written.push(decision.record);
  for (const command of decision.commands) {
    if (command.kind === 'request') world.sent.push(command.request);
  }
  return decision.commands;
}

function eventOf(world: World, what: What): RecordEvent | null {
  switch (what.do) {
    case 'wait':
    case 'wait-for-due':
      return null;
    case 'claim':
      return taken(current(world), `s-${world.sent.length}`);
    case 'reply': {
      const out = world.sent.filter((request) => isAwaited(current(world), request));
      const from = what.reply.aimed && out.length > 0 ? out : world.sent;
      const request = from.at(-1 - (what.reply.pick % Math.max(1, from.length)));
      return request === undefined ? null : replyTo(request, what.reply);
    }
    case 'expire':
      return { type: 'expired' };
    case 'interrupt':
      return interruptionOf(what.reason, world, world.nowMs + what.ramp);
    case 'resubmit':
    case 'cancel':
      return { type: what.do, by: 'olga' };
    case 'correct':
      return { type: 'resubmit', by: 'olga', corrections: [{ field: 'n', value: what.n }] };
    case 'reprioritise':
      return { type: what.do, by: 'olga', priority: what.priority };
  }
}

function interruptionOf(
  reason: 'restart' | 'outage',
  world: World,
  notBefore: number,
): RecordEvent {
  if (reason === 'restart') return { type: 'interrupted', reason, notBefore };
  const steps = current(world).steps.map(({ name }) => name);
  return { type: 'interrupted', reason, notBefore, steps };
}

/** What a Scheduler makes of a nudge. */
function taken({ processState, steps }: ProcessRecord, name: string): RecordEvent {
  const isHeld = steps.some(({ progress }) => progress.state === 'Held');
  const type = processState === 'Processing' && isHeld ? 'resume' : 'claim';
  return { type, by: schedulerId(name) };
}

type Answer = typeof reply extends fc.Arbitrary<infer Value> ? Value : never;

function replyTo(request: Request, answer: Answer): RecordEvent {
  const from = {
    step: request.step,
    attempt: request.attempt + answer.attemptOff,
    agent: answer.byAnother ? agentName('svc-other') : request.agent,
  };
  if (answer.kind === 'beat') return { type: 'heartbeat', ...from };
  if (answer.kind === 'deferred') {
    const isLong = answer.effect === 'possible';
    return {
      type: 'deferred',
      ...from,
      gate: isLong ? 'circuit' : 'concurrency',
      retryAfterMs: isLong ? 900_000 : 20,
    };
  }
  const isPerform = (request.action === 'perform') !== (answer.kind === 'crossed');
  if (answer.kind === 'failed') {
    const fault = { code: 'refused', message: 'No.', effect: answer.effect };
    return { type: isPerform ? 'stepFailed' : 'undoFailed', ...from, fault };
  }
  return isPerform
    ? { type: 'stepSucceeded', ...from, output: answer.output }
    : { type: 'undoSucceeded', ...from };
}

function success({ step: name, attempt, agent, action }: Request): RecordEvent {
  const from = { step: name, attempt, agent };
  return action === 'perform'
    ? { type: 'stepSucceeded', ...from, output: 'yes' }
    : { type: 'undoSucceeded', ...from };
}

/** Deeply frozen, so that a change throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

const isAwaited = (record: ProcessRecord, { step: name, attempt }: Request): boolean =>
  record.steps.some(
    (one) => one.name === name && one.attempt === attempt && underWay(one.progress),
  );
