/**
 * Limits: how many calls of an agent begin per time, and how many it makes at once, in all or for each value of a key, such as
 * the tenant. A call over a limit waits: its step is held, and no failure is counted (R23).
 */
import { DefinitionError } from '#core/model/errors.ts';
import { limitName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits as bounds } from '#core/model/limits.ts';
import { noPromise } from './no-promise.ts';

/** What the key of a limit is made from. */
export interface LimitedCall<Input = JsonValue> {
  /** The input of the call; of an undo, that of its perform. */
  readonly input: Input;
  /** The tenant of the order; null for one without a tenant. */
  readonly tenant: string | null;
  /** The name of the workflow of the order. */
  readonly workflow: string;
}

/** A rate: `count` calls per `per` ms. */
export interface RateOptions {
  /** From 1 to 10,000. */
  readonly count: number;
  /** Ms, from 1 s to a day. */
  readonly per: number;
  /**
   * How many calls may begin together after a time without calls, from 1 to `count`. Default 1: calls are evenly spaced, as most
   * services with a limit expect.
   */
  readonly burst?: number;
}

/** How much a limit allows: a rate, a number of calls at once, or both. */
export interface LimitAmount {
  readonly rate?: RateOptions;
  /** The calls in flight, from 1 to 10,000. */
  readonly atOnce?: number;
}

/** Options of a limit of `defineAgent` and `definePool`. */
export interface LimitOptions<Input extends JsonValue> extends LimitAmount {
  /**
   * The limit holds for each value by itself; null: the call is not limited. A pure function, asked before each attempt. If it
   * throws, the call counts by a key that all such calls share. Default: one limit for all calls.
   */
  readonly key?: (call: LimitedCall<Input>) => string | null;
}

/** A checked limit, without the type of the input of its agent. */
export interface AgentLimit {
  /** Of the agent or pool, and of the limit: `payment/per-tenant`. */
  readonly name: string;
  readonly rate: Required<RateOptions> | null;
  readonly atOnce: number | null;
  /** Null: one limit for all calls. A method, because limits of agents with other inputs are kept together. */
  readonly key: ((call: LimitedCall) => string | null) | null;
}

/** See {@link LimitOptions}; a method, because the types of inputs are known to the author of the agent only. */
interface ErasedOptions extends LimitAmount {
  key?(call: LimitedCall): string | null;
}

/**
 * Checks the limits of one agent or pool.
 *
 * @throws {ReeveError} `id-malformed` when a name is invalid
 * @throws {DefinitionError} `limit-invalid` when a number is out of its range, or a limit limits nothing
 */
export function agentLimits(
  owner: string,
  options: Readonly<Record<string, ErasedOptions>>,
): readonly AgentLimit[] {
  const all = Object.entries(options);
  if (all.length > bounds.agentLimitsMax) {
    throw limitInvalid(
      owner,
      `it has ${all.length} limits, where ${bounds.agentLimitsMax} are allowed`,
    );
  }
  return all.map(([label, { rate, atOnce, key }]): AgentLimit => {
    const name = `${owner}/${limitName(label)}`;
    checkAmount(name, { ...(rate && { rate }), ...(atOnce !== undefined && { atOnce }) });
    return {
      name,
      rate: rate === undefined ? null : { burst: 1, ...rate },
      atOnce: atOnce ?? null,
      key: key ?? null,
    };
  });
}

/**
 * Checks how much a limit is to allow.
 *
 * @throws {DefinitionError} `limit-invalid`
 */
export function checkAmount(limit: string, { rate, atOnce }: LimitAmount): void {
  if (rate === undefined && atOnce === undefined) {
    throw limitInvalid(limit, 'it has neither a `rate` nor `atOnce`, so it limits nothing');
  }
  const check = checker(limit);
  if (atOnce !== undefined) check('atOnce', atOnce, 1, bounds.limitCallsMax);
  if (rate === undefined) return;
  check('rate.count', rate.count, 1, bounds.limitCallsMax);
  check('rate.per', rate.per, bounds.limitPerMinMs, bounds.limitPerMaxMs);
  if (rate.burst !== undefined) check('rate.burst', rate.burst, 1, rate.count);
}

function checker(limit: string) {
  return (option: string, value: number, least: number, most: number): void => {
    if (Number.isSafeInteger(value) && value >= least && value <= most) return;
    const allowed = `whole numbers from ${least} to ${most} are allowed`;
    throw limitInvalid(limit, `\`${option}\` is ${value}, where ${allowed}`);
  };
}

const limitInvalid = (limit: string, problem: string) =>
  new DefinitionError('limit-invalid', `limit ${limit}: ${problem}.`);

/** The key that calls share whose key cannot be computed. No text that code returns is the same. */
const failedKey = Symbol('failed');

/** The key of a call, by which it is counted; null: the limit does not apply to it. */
export function keyOf(
  { key }: Pick<AgentLimit, 'key'>,
  { input, tenant, workflow }: LimitedCall,
  onFailure: (error: unknown) => void,
): string | symbol | null {
  if (key === null) return '';
  try {
    const value: unknown = noPromise(key({ input, tenant, workflow }));
    if (value === null || typeof value === 'string') return value;
    onFailure(new TypeError('not a text'));
  } catch (error) {
    onFailure(error);
  }
  return failedKey;
}
