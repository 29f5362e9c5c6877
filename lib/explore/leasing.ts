/**
 * What a Scheduler does next for the call of an order: the shipped code of limits runs until it writes an item to which it has no
 * answer yet. The same answers bring it to the same place, so a state needs only them.
 */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { LimitSlot, Request } from '#core/model/message.ts';
import { holderName } from '#distributed/limits/counted-limits.ts';
import { type SharedLimits, sharedLimits } from '#distributed/limits/shared-limits.ts';
import { isHold } from '#ports/gates.ts';
import type { LimitItems, Occupation, Occupied } from '#ports/limit-items.ts';

/** The answer to a write; null: it was lost. */
export interface Answer {
  readonly at: number;
  readonly occupied: Occupied | null;
}

/** The call of an order. */
export interface LeasedCall {
  readonly order: number;
  readonly attempt: number;
  readonly completeBy: number;
  readonly slots: readonly LimitSlot[];
}

/** What a Scheduler does for a call, since then: it asks whether it may begin, or frees its room when it has ended. */
export interface Leasing {
  readonly kind: 'asks' | 'frees';
  readonly since: number;
  readonly answers: readonly Answer[];
}

/** `writes`: the write that it makes next. `granted`, `held`: whether the call may begin. */
export type NextStep =
  | { readonly kind: 'writes'; readonly name: string; readonly change: Occupation }
  | { readonly kind: 'granted'; readonly slots: readonly LimitSlot[] }
  | { readonly kind: 'held' };

/** Plants a mistake in what the shipped code asks of its store. */
export type Planted = (items: LimitItems) => LimitItems;

/** The time of a call, ms: longer than the grace after it, so that there are few different instants. */
export const callMs = 10_000;

const agent = agentName('one');
const limit = (name: string): AgentLimit => ({ name, key: null, rate: null, atOnce: 1 });
const limits = new Map([
  [agent, { shared: [limit('one/shared')], own: [limit('one/own')] }] as const,
]);
/** More than the waits of the shipped code until it writes or ends. */
const turns = 60;

/** @param planted by default, none */
export async function nextStep(
  leasing: Leasing,
  call: LeasedCall,
  planted: Planted = (own) => own,
): Promise<NextStep> {
  let nowMs = leasing.since;
  let next: NextStep | null = null;
  const answers = leasing.answers.values();
  const items: LimitItems = {
    occupy(name, change) {
      const { value: answer } = answers.next();
      if (answer === undefined) {
        // Of writes at the same time, the first one is made first.
        next ??= { kind: 'writes', name, change };
        return new Promise(() => {});
      }
      nowMs = answer.at;
      if (answer.occupied === null) return Promise.reject(lost());
      return Promise.resolve(answer.occupied);
    },
    advance: () => Promise.reject(lost()),
    extend: () => Promise.reject(lost()),
  };
  const clock = { now: () => nowMs, aheadMs: () => 0, latest: (at: number) => at };
  const shipped = sharedLimits({
    instance: instanceOf(call),
    ...{ limits, items: planted(items), clock },
    queueClock: clock,
    random: { next: () => 0 },
    log: { info() {}, warn() {}, error() {} },
  });
  void done(shipped, leasing, requestOf(call)).then((end) => {
    next = end;
  });
  for (let turn = 0; turn < turns && next === null; turn += 1) await null;
  if (next === null) throw new Error('a Scheduler neither writes nor ends');
  return next;
}

async function done(shared: SharedLimits, { kind }: Leasing, request: Request): Promise<NextStep> {
  if (kind === 'frees') {
    const { slots = [] } = request;
    shared.replied([{ ...request, slots, result: { kind: 'succeeded', output: null } }]);
    await shared.settled();
    return { kind: 'held' };
  }
  const answer = await shared.ask(request, true);
  await shared.settled();
  if (answer === null || isHold(answer)) return { kind: 'held' };
  return { kind: 'granted', slots: answer.slots ?? [] };
}

const lost = () => new UnavailableError('store-unavailable', 'The answer was lost.');

function requestOf(call: LeasedCall): Request {
  const { completeBy, slots } = call;
  const attempt = attemptOf(call);
  const key = idempotencyKey(attempt.orderId, attempt.step, attempt.action, 1);
  return {
    ...{ ...attempt, agent, workflow: workflowName('lease') },
    ...{ idempotencyKey: key, performKey: key },
    ...{ completeBy, completeWithinMs: callMs, endBy: completeBy, slots },
    ...{ input: null, output: null, priority: 'normal', tenant: null },
  };
}

/** The one who leases for a call first. */
export const firstHolder = (call: Pick<LeasedCall, 'order' | 'attempt'>) =>
  holderName(instanceOf(call), 1);

/** A Scheduler of its own for each attempt. */
const instanceOf = ({ order, attempt }: Pick<LeasedCall, 'order' | 'attempt'>) =>
  `${order} ${attempt}`;

const attemptOf = ({ order, attempt }: Pick<LeasedCall, 'order' | 'attempt'>) =>
  ({ orderId: orderId(`o${order}`), step: stepName('a'), attempt, action: 'perform' }) as const;
