/** Checks the option `singleton` of a workflow. Types do not hold code that is written without them. */
import { limits } from '#core/model/limits.ts';
import type { PolicyRefusal } from './policy-check.ts';
import { type Debounce, type Singleton, type SubmittedOrder, singletonRules } from './singleton.ts';

/** A singleton before the check. */
export interface UncheckedSingleton {
  key(order: SubmittedOrder): string | null;
  readonly else: Singleton['else'];
  readonly quiet?: number | undefined;
  readonly atMost?: number | undefined;
}

/**
 * A rule that is none would let orders pass each other.
 *
 * @param completeWithinMs of the workflow; undefined: its orders have no deadline
 * @throws {DefinitionError} `singleton-invalid`
 */
export function checkedSingleton(
  singleton: UncheckedSingleton,
  completeWithinMs: number | undefined,
  refuse: PolicyRefusal,
): Singleton {
  const { key, else: rule, quiet, atMost } = singleton;
  const given: { readonly key: unknown; readonly rule: unknown } = { key, rule };
  if (typeof given.key !== 'function') {
    throw refuse('singleton-invalid', 'singleton.key is not a function');
  }
  if (!singletonRules.some((known) => known === given.rule)) {
    const known = singletonRules.map((each) => `"${each}"`).join(', ');
    const found = JSON.stringify(given.rule);
    throw refuse('singleton-invalid', `singleton.else is ${found}, where ${known} are allowed`);
  }
  if (rule === 'debounce') {
    return { key, else: rule, debounce: debounceOf(quiet, atMost, completeWithinMs, refuse) };
  }
  for (const [name, value] of Object.entries({ quiet, atMost })) {
    if (value === undefined) continue;
    const problem = `singleton.${name} is of the rule "debounce", and singleton.else is "${rule}": state one of the two`;
    throw refuse('singleton-invalid', problem);
  }
  return { key, else: rule };
}

function debounceOf(
  quietMs: number | undefined,
  atMostMs: number | undefined,
  completeWithinMs: number | undefined,
  refuse: PolicyRefusal,
): Debounce {
  const within = (name: string, value: number | undefined, min: number, max: number): number => {
    if (value !== undefined && Number.isSafeInteger(value) && value >= min && value <= max) {
      return value;
    }
    const problem = `singleton.${name} (ms) is ${value}; allowed is ${min} to ${max}`;
    throw refuse('singleton-invalid', problem);
  };
  const { quietMinMs, atMostMaxMs } = limits;
  const quiet = within('quiet', quietMs, quietMinMs, atMostMaxMs);
  const atMost = within('atMost', atMostMs, quiet, atMostMaxMs);
  if (completeWithinMs !== undefined && quiet >= completeWithinMs) {
    const problem = `singleton.quiet (ms) is ${quiet}, and an order must be finished ${completeWithinMs} ms after its submission: it would be late before it begins`;
    throw refuse('singleton-invalid', problem);
  }
  return { quietMs: quiet, atMostMs: atMost };
}
