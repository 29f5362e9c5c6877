/**
 * The clock, chance and timers of JavaScript, virtual for the code that runs within a simulated world: it may read the clock of its
 * machine as usual, and a seed still gives the same course of events. All other code of the process has the real ones.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { replaced } from './replaced.ts';
import { installTimers } from './virtual-timers.ts';

export interface Sources {
  readonly now: () => number;
  readonly random: () => number;
  /** Runs work in so many ms; returns what cancels it. */
  readonly after: (ms: number, work: () => void) => () => void;
}

const sources = new AsyncLocalStorage<Sources>();

/** Runs the code, and all that it waits for, with these sources. */
export const withSources = <Value>(own: Sources, code: () => Value): Value =>
  sources.run(own, code);

/** Makes {@link withSources} effective until the returned function is called. */
export function installSources(): () => void {
  const { Date: date } = globalThis;
  const { random } = Math;
  const restores: (() => void)[] = [];
  const set = (name: string, value: unknown, on: object = globalThis) =>
    restores.push(replaced(on, name, value));
  set('random', () => (sources.getStore()?.random ?? random)(), Math);
  set('Date', virtualDate(date));
  const restoreOthers = installedOthers();
  const restoreTimers = installTimers(() => sources.getStore());
  return () => {
    for (const restore of restores) restore();
    restoreOthers();
    restoreTimers();
  };
}

/** What code reads or starts more seldom: unique ids, the time since the start, and the end of a time. */
function installedOthers(): () => void {
  const restores: (() => void)[] = [];
  const ofWeb = crypto.randomUUID;
  const { now } = performance;
  const { timeout } = AbortSignal;
  const set = (on: object, name: string, value: unknown) =>
    restores.push(replaced(on, name, value));
  const uuid = () => {
    const own = sources.getStore();
    return own === undefined ? Reflect.apply(ofWeb, crypto, []) : uuidOf(own.random);
  };
  set(nodeCrypto, 'randomUUID', uuid);
  set(crypto, 'randomUUID', uuid);
  syncBuiltinESMExports();
  set(performance, 'now', () => {
    const own = sources.getStore();
    return own === undefined
      ? Reflect.apply(now, performance, [])
      : own.now() - performance.timeOrigin;
  });
  set(AbortSignal, 'timeout', (ms: number) => {
    const own = sources.getStore();
    // The real one refuses what is no time.
    if (own === undefined || !(ms >= 0)) return Reflect.apply(timeout, AbortSignal, [ms]);
    const controller = new AbortController();
    own.after(ms, () => {
      controller.abort(new DOMException('The operation timed out.', 'TimeoutError'));
    });
    return controller.signal;
  });
  return () => {
    for (const restore of restores) restore();
    syncBuiltinESMExports();
  };
}

/** Version 4. */
function uuidOf(random: () => number): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () =>
    Math.floor(random() * 16).toString(16),
  );
}

function virtualDate(date: DateConstructor): DateConstructor {
  const now = () => (sources.getStore()?.now ?? date.now)();
  return new Proxy(date, {
    construct: (target, values, made) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, made),
    apply: () => new date(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}

const yearMs = 365 * 86_400_000;
const arbitraryMs = 1_767_571_200_000;

/** What a pure function of the workflow may not use: it has no timers, and two clocks that differ by more than a year. */
const otherwise = (turn: number): Sources => ({
  now: () => arbitraryMs + turn * (yearMs + 3_661_001),
  random: () => (turn === 0 ? 0.25 : 0.75),
  after: () => () => {},
});

/**
 * Calls a function twice, with different clocks and different chance.
 *
 * @param differs receives both results when they are not the same
 * @returns the first result, or throws what the first call threw
 */
export function calledTwice<Value>(
  code: () => Value,
  differs: (one: string, other: string) => void,
): Value {
  const one = outcome(() => withSources(otherwise(0), code));
  const other = outcome(() => withSources(otherwise(1), code));
  if (one.text !== other.text) differs(one.text, other.text);
  if ('error' in one) throw one.error;
  return one.value;
}

type Outcome<Value> =
  | { readonly text: string; readonly value: Value }
  | { readonly text: string; readonly error: unknown };

function outcome<Value>(code: () => Value): Outcome<Value> {
  try {
    const value = code();
    // No code waits for the promise of the second call: its rejection would be one of an agent.
    if (value instanceof Promise) value.catch(() => {});
    return { text: JSON.stringify(value) ?? 'undefined', value };
  } catch (error) {
    return { text: `an error: ${error instanceof Error ? error.message : String(error)}`, error };
  }
}
