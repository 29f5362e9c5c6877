/** The effects at the simulated services of one world: `prove` owns them and judges them, and models of services change them. */
import type { UndoAbility } from '#core/definition/agent.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { idempotencyKey, type OrderId } from '#core/model/ids.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import { type AgentTry, orderAndStep } from './agents/agent-try.ts';
import type { Find } from './finding.ts';

/** The effects at one service, as its model changes them. */
export interface Effects {
  /** Whether there is an effect with this key now. */
  has(key: string): boolean;
  /** The service takes effect. The key is the one by which it is found again, such as the idempotency key that it was given. */
  add(key: string): void;
  /** Takes the effect with this key back. Without one, nothing happens. */
  remove(key: string): void;
}

/** An effect that is in force. */
export interface Effect {
  readonly service: string;
  readonly key: string;
  readonly order: string;
  readonly step: string;
}

/** A perform that returned. */
interface Success {
  readonly performKey: string;
  readonly touched: ReadonlySet<string>;
}

/** A request, and the effects that it has met so far. */
interface Met {
  readonly request: AgentTry;
  readonly touched: Set<string>;
}

export interface EffectLedger {
  /** The effects of a service, for a request of this try; adds those that it makes or finds to `touched`. */
  of(service: string, met: Met): Effects;
  /**
   * A service has answered a request: it and its agent know of those effects of the step whose keys the request or the answer has.
   *
   * @param texts where the keys may be
   */
  meet(service: string, met: Met, texts: unknown): void;
  /** A perform has returned. @param undo of the contract of its agent */
  performed(own: AgentTry, undo: UndoAbility): void;
  /** Judges the effects of an order that has ended. */
  judge(record: ProcessRecord, definition: WorkflowDefinition): void;
}

export type EffectChange = 'takes effect' | 'takes back its effect';

export interface EffectLedgerOptions {
  readonly find: Find;
  /** Called with what becomes of an effect, and for which call. */
  readonly onChange: (effect: Effect, change: EffectChange, own: AgentTry) => void;
}

export function effectLedger({ find, onChange }: EffectLedgerOptions): EffectLedger {
  const live = new Map<string, Effect[]>();
  const removedByUndo = new Map<string, Effect>();
  const successes = new Map<string, Success[]>();

  return {
    of(service, { request: own, touched }) {
      const { order, step } = orderAndStep(own.performKey);
      const idFor = (key: string) => idOf({ service, key });
      return {
        has(key) {
          const isThere = live.has(idFor(key));
          if (isThere) touched.add(idFor(key));
          return isThere;
        },
        add(key) {
          const id = idFor(key);
          const effect = { service, key, order, step };
          const found = live.get(id) ?? [];
          live.set(id, [...found, effect]);
          touched.add(id);
          onChange(effect, 'takes effect', own);
          if (found.length > 0)
            find(
              'effect-twice',
              `${service} took effect again for ${step} of ${order}, with the same key ${key}: it does not recognise a request that it has seen before.`,
            );
        },
        remove(key) {
          const id = idFor(key);
          const found = live.get(id) ?? [];
          const last = found.at(-1);
          if (last === undefined) return;
          if (found.length === 1) live.delete(id);
          else live.set(id, found.slice(0, -1));
          if (own.action === 'undo') removedByUndo.set(id, last);
          onChange(last, 'takes back its effect', own);
        },
      };
    },
    meet(service, { request: own, touched }, texts) {
      const { order, step } = orderAndStep(own.performKey);
      const named = textsIn(texts);
      for (const [id, [effect]] of live) {
        if (effect?.service !== service || effect.order !== order || effect.step !== step) continue;
        if (named.has(effect.key)) touched.add(id);
      }
    },
    performed({ agent, performKey, touched: all }, undo) {
      const { order, step } = orderAndStep(performKey);
      const isOwn = (one: Effect) => one.order === order && one.step === step;
      const hasOwn = (id: string) => live.get(id)?.some(isOwn) ?? false;
      // An agent without effects may look at those of other steps.
      const touched = undo === 'unneeded' ? new Set([...all].filter(hasOwn)) : all;
      const found = [...touched].flatMap((id) => live.get(id) ?? []);
      const [other] = found;
      if (other !== undefined && !found.some(isOwn))
        find(
          'effect-shared',
          `The agent ${agent} says that ${step} of ${order} is done, and all that is there is ${nameOf(other)}${other.order === order ? '' : `, of ${other.order}`}.`,
        );
      const known = successes.get(`${order}/${step}`) ?? [];
      successes.set(`${order}/${step}`, [...known, { performKey, touched }]);
    },
    judge: (record, definition) =>
      judgeEffects({ find, live, removedByUndo, successes }, record, definition),
  };
}

const idOf = ({ service, key }: Pick<Effect, 'service' | 'key'>) => `${service} ${key}`;

/** The texts in a value of JSON, at any depth. */
function textsIn(value: unknown): ReadonlySet<string> {
  const texts = new Set<string>();
  const seen = new Set<object>();
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') texts.add(one);
    if (typeof one !== 'object' || one === null || seen.has(one)) continue;
    seen.add(one);
    left.push(...Object.values(one));
  }
  return texts;
}

const nameOf = ({ service, key, step }: Effect) => `the effect ${key} of ${step} at ${service}`;

interface Known {
  readonly find: Find;
  readonly live: ReadonlyMap<string, readonly Effect[]>;
  readonly removedByUndo: ReadonlyMap<string, Effect>;
  readonly successes: ReadonlyMap<string, readonly Success[]>;
}

function judgeEffects(
  known: Known,
  { orderId, processState, steps }: ProcessRecord,
  definition: WorkflowDefinition,
): void {
  for (const [at, step] of steps.entries()) {
    const own = definition.steps[at];
    const effects = [...known.live.values()]
      .flat()
      .filter((one) => one.order === orderId && one.step === step.name);
    if (processState === 'Undone' && own !== undefined)
      judgeUndone(known.find, { effects, step, undo: own.undo }, orderId);
    if (processState === 'Processed') judgeProcessed(known, effects, orderId, step);
  }
}

/** Why an effect may be left after an undo. */
const leftBecause = {
  offered: 'Its undo did not take it back, or a late request made it again after the undo.',
  unneeded: 'The contract of its agent says that an undo is unneeded.',
  impossible: 'The contract of its agent offers no undo.',
} as const;

interface UndoneStep {
  readonly effects: readonly Effect[];
  readonly step: StepRecord;
  readonly undo: UndoAbility;
}

function judgeUndone(find: Find, { effects, step, undo }: UndoneStep, order: OrderId): void {
  const [effect] = effects;
  const mayStay = undo === 'impossible' && step.progress.state !== 'Completed';
  if (effect === undefined || mayStay) return;
  find(
    'effect-left',
    `${order} is Undone, and ${nameOf(effect)} is still there. ${leftBecause[undo]}`,
  );
}

function judgeProcessed(
  { find, live, removedByUndo, successes }: Known,
  effects: readonly Effect[],
  order: OrderId,
  step: StepRecord,
): void {
  const [first] = effects;
  if (step.progress.state !== 'Completed') {
    if (first !== undefined)
      find(
        'effect-left',
        `${order} was processed without ${step.name}, and ${nameOf(first)} is there.`,
      );
    return;
  }
  const key = idempotencyKey(order, step.name, 'perform', step.keyGeneration);
  const own = (successes.get(`${order}/${step.name}`) ?? []).filter(
    ({ performKey }) => performKey === key,
  );
  const unknown = effects.find((one) => own.some(({ touched }) => !touched.has(idOf(one))));
  if (unknown !== undefined)
    find(
      'effect-unknown',
      `${order} is Processed. ${step.name} has ${effects.map(nameOf).join(' and ')}, and a call of its agent that succeeded knew nothing of ${nameOf(unknown)}.`,
    );
  for (const id of own.flatMap(({ touched }) => [...touched])) {
    const gone = live.has(id) ? undefined : removedByUndo.get(id);
    if (gone !== undefined)
      find('effect-gone', `${order} is Processed, and ${nameOf(gone)} was taken back.`);
  }
}
