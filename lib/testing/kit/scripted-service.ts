/** The service of a scripted agent: it does to each call what the script says. */
import type { Effect } from '#core/model/fault.ts';
import type { Action } from '#core/model/ids.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { KitError } from './kit-error.ts';
import type { TestHost } from './test-host.ts';
import { checkedTime } from './time-check.ts';

/** What happens to the next calls, one after the other: each entry is for one call. */
export interface CallScript {
  /**
   * The service refuses for good: a permanent fault.
   *
   * @param effect of the call: with `none` it has none, with `possible` it has taken effect. Default `none`
   */
  fails(code: string, options?: { readonly effect?: Effect; readonly message?: string }): void;
  /** The service fails for a moment: Reeve tries again. */
  failsOnce(): void;
  /** The service never answers, and has no effect. */
  hangs(): void;
  /**
   * The service takes so long, ms, and takes effect at the end, also where no caller waits any more.
   *
   * @throws {KitError} `time-range` when it is not a whole number from 0 to ten years
   */
  isSlow(ms: number): void;
  /** The service takes effect, and the process of Reeve ends before it gets the answer. `run` starts it again. */
  crashesAfterEffect(): void;
}

type Entry =
  | { readonly kind: 'fails'; readonly fault: PermanentFault }
  | { readonly kind: 'fails-once' | 'hangs' | 'crashes' }
  | { readonly kind: 'slow'; readonly ms: number };

/** What a request does at the service. */
interface Work<Answer> {
  readonly effect: () => Answer;
  /** The service refuses it for good, without an effect. */
  readonly refuse: () => void;
}

export interface ScriptedService {
  script(action: Action): CallScript;
  unreachable(ms: number): void;
  now(): number;
  serve<Answer>(action: Action, signal: AbortSignal, work: Work<Answer>): Promise<Answer>;
  bind(host: TestHost): void;
}

/** @param agent its name */
export function scriptedService(agent: string): ScriptedService {
  const entries = { perform: [] as Entry[], undo: [] as Entry[] };
  let bound: TestHost | null = null;
  let unreachableUntil = Number.NEGATIVE_INFINITY;
  /** Before the start of Reeve, ms. */
  let unreachableMs = 0;

  const host = (): TestHost => {
    if (bound !== null) return bound;
    throw new KitError(
      'agent-unbound',
      `The scripted agent ${agent} is called by no testReeve: give it in \`agents\`.`,
    );
  };
  const notNow = (what: string) =>
    new TransientFault('scripted', `The service of ${agent} ${what}.`);

  return {
    script: (action) => scriptOf(entries[action]),
    unreachable(given) {
      const ms = checkedTime('The time of unreachable', given);
      if (bound === null) unreachableMs = ms;
      else unreachableUntil = bound.now() + ms;
    },
    now: () => host().now(),
    bind(own) {
      bound = own;
      if (unreachableMs > 0) unreachableUntil = own.now() + unreachableMs;
      unreachableMs = 0;
    },
    async serve(action, signal, { effect, refuse }) {
      const { now, after, crash } = host();
      if (now() < unreachableUntil) throw notNow('is unreachable');
      const entry = entries[action].shift();
      switch (entry?.kind) {
        case undefined:
          return effect();
        case 'fails':
          if (entry.fault.effect === 'none') refuse();
          else effect();
          throw entry.fault;
        case 'fails-once':
          throw notNow('fails once');
        case 'hangs':
          return aborted(signal);
        case 'slow':
          return Promise.race([late(() => effect(), entry.ms, after), aborted(signal)]);
        case 'crashes':
          effect();
          crash();
          return new Promise(() => {});
      }
    },
  };
}

function late<Answer>(effect: () => Answer, ms: number, after: TestHost['after']): Promise<Answer> {
  return new Promise((resolve, reject) => {
    after(ms, () => {
      try {
        resolve(effect());
      } catch (error) {
        reject(error);
      }
    });
  });
}

function scriptOf(entries: Entry[]): CallScript {
  return {
    fails(code, { effect = 'none', message = 'The script says so.' } = {}) {
      entries.push({ kind: 'fails', fault: new PermanentFault(code, message, effect) });
    },
    failsOnce: () => void entries.push({ kind: 'fails-once' }),
    hangs: () => void entries.push({ kind: 'hangs' }),
    isSlow(ms) {
      entries.push({ kind: 'slow', ms: checkedTime('The time of isSlow', ms) });
    },
    crashesAfterEffect: () => void entries.push({ kind: 'crashes' }),
  };
}

/** Rejects when the signal aborts, as `fetch` does. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
