/** The service of a scripted agent: it does to each call what the script says. */
import type { Effect } from '#core/model/fault.ts';
import type { Action } from '#core/model/ids.ts';
import { type Call, PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { KitError } from './kit-error.ts';
import { type HostListener, hostOf, type TestHost } from './test-host.ts';
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

/** See {@link scriptedService}. */
export interface ScriptedService extends HostListener {
  script(action: Action): CallScript;
  unreachable(ms: number): void;
  /** The Reeve that makes the call. @throws {KitError} `agent-unbound` */
  hostOf(call: Call): TestHost;
  serve<Answer>(action: Action, call: Call, work: Work<Answer>): Promise<Answer>;
}

/** @param agent its name */
export function scriptedService(agent: string): ScriptedService {
  const entries = { perform: [] as Entry[], undo: [] as Entry[] };
  /** The Reeves that run the agent, each with the instant until which it cannot reach the service. */
  const unreachableUntil = new Map<TestHost, number>();
  /** Before the start of Reeve, ms. */
  let unreachableMs = 0;

  function join(host: TestHost): void {
    if (unreachableUntil.has(host)) return;
    unreachableUntil.set(host, unreachableMs === 0 ? 0 : host.now() + unreachableMs);
    unreachableMs = 0;
  }
  function callerOf(call: Call): TestHost {
    const [only, ...others] = unreachableUntil.keys();
    const host = hostOf(call) ?? (others.length === 0 ? only : undefined);
    if (host !== undefined) return host;
    throw new KitError(
      'agent-unbound',
      `The scripted agent ${agent} is called by no testReeve: give it in \`agents\`.`,
    );
  }
  const notNow = (what: string) =>
    new TransientFault('scripted', `The service of ${agent} ${what}.`);

  return {
    script: (action) => scriptOf(entries[action]),
    unreachable(given) {
      const ms = checkedTime('The time of unreachable', given);
      if (unreachableUntil.size === 0) unreachableMs = ms;
      for (const host of unreachableUntil.keys()) unreachableUntil.set(host, host.now() + ms);
    },
    join,
    leave: (host) => void unreachableUntil.delete(host),
    hostOf: callerOf,
    async serve(action, call, { effect, refuse }) {
      const host = callerOf(call);
      const { now, after, crash } = host;
      const { signal } = call;
      join(host);
      if (now() < (unreachableUntil.get(host) ?? 0)) throw notNow('is unreachable');
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
