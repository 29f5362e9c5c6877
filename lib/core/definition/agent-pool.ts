/**
 * Pools: several agents that can each perform the same steps, such as two providers of payments. Each member is an agent with
 * a queue, a circuit and a limit of its own; the Scheduler gives each call to one that can begin it.
 */
import { DefinitionError } from '#core/model/errors.ts';
import { type AgentName, nameInPool, poolName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { type AgentContract, limitsOption, type UndoAbility } from './agent.ts';
import type { AgentLimit, LimitAmount, LimitOptions } from './agent-limit.ts';
import { checkOptions, poolForm } from './option-forms.ts';
import type { ContractSchema } from './typed-schema.ts';

/** A member, as the Scheduler knows it. */
export interface PoolMember {
  readonly agent: AgentName;
  /** Members of one domain know each other's idempotency keys. */
  readonly domain: string;
  /** Its share of the calls that may go to any member. */
  readonly weight: number;
  /** The name under which the steps wait that may go to the members of its domain only. */
  readonly group: AgentName;
  /** What `group` is while the domain has several members: a record may still have it when the others have left the pool. */
  readonly sharedGroup: string;
  /** An operator has drained it: it gets what is bound to its domain, after the others. Missing: it is not. */
  readonly isDrained?: boolean;
  /** Of its own calls. Missing: no limit. */
  readonly limits?: readonly AgentLimit[];
}

/** Options of a member of {@link definePool}. */
export interface MemberOptions {
  /**
   * Members with the same text know each other's idempotency keys, as two regions of one provider do: a step in doubt is tried
   * again only within its domain (R25). Of the form of a name. Default: a domain of its own; where `undo` is `unneeded`, one domain for all, because
   * then a call at a second member does no harm.
   */
  readonly domain?: string;
  /**
   * Its share of the calls that may go to any member, a whole number from 0 to 100. With 0 it only gets what is bound to it:
   * steps in doubt and undos. Default 1.
   */
  readonly weight?: number;
  /** Limits of its own calls by name, such as that of a provider. Limits with a key are those of the pool. */
  readonly limits?: Readonly<Record<string, LimitAmount>>;
}

/** See `failover` of {@link PoolOptions}. */
export type Failover = 'wait' | 'undo-first';

/** Options of {@link definePool}. */
export interface PoolOptions<
  Input extends JsonValue,
  Output extends JsonValue,
  Member extends string,
  Undo extends UndoAbility = UndoAbility,
  AcceptedInput = Input,
  AcceptedOutput = Output,
> {
  /** Up to 40 of a-z, 0-9 and "-", of which the first is one of a-z, together with "-" and the name of a member. */
  readonly name: string;
  /** As in `defineAgent`, for all members. */
  readonly input: ContractSchema<Input, AcceptedInput>;
  /** As in `defineAgent`, for all members. */
  readonly output: ContractSchema<Output, AcceptedOutput>;
  /** As in `defineAgent`, for all members. */
  readonly undo?: Undo;
  /** As in `defineAgent`, for the calls of all members together. */
  readonly limits?: Readonly<Record<string, LimitOptions<Input>>>;
  /** The members by name; the agent of `stripe` in the pool `payment` is `payment-stripe`. */
  readonly members: Readonly<Record<Member, MemberOptions>>;
  /**
   * What happens when a round of attempts leaves a step in doubt in one domain. `wait`: the next round is tried in the same
   * domain. `undo-first`: the step is undone there, with the policy of its undo, while the order goes forward; then it
   * starts anew at any member, under a new idempotency key, and first at those of other domains. So members of several
   * domains back each other up, and at most one has an effect at the end. It needs `undo: 'offered'`, members of several
   * domains, and steps that can be undone and have several rounds (`coolDown`). Default `wait`.
   */
  readonly failover?: Failover;
}

/** A pool is the agent of a step, and each member is the contract of an implementation. */
export interface AgentPool<
  Input extends JsonValue,
  Output extends JsonValue,
  Member extends string,
  Undo extends UndoAbility = UndoAbility,
> extends AgentContract<Input, Output, Undo> {
  readonly pool: readonly PoolMember[];
  readonly failover: Failover;
  /**
   * The contract of a member, for its implementation.
   *
   * @throws {DefinitionError} `pool-invalid` when the pool has no such member
   */
  member(name: Member): AgentContract<Input, Output, Undo>;
}

/** The largest weight of a member. */
export const memberWeightMax = 100;
/** The domain of all members whose calls have no effect. */
const harmless = 'any';

/**
 * Defines a pool of agents.
 *
 * @throws {ReeveError} `id-malformed` when its name or the name of a member is invalid
 * @throws {DefinitionError} `pool-invalid` when a weight is out of its range, or no member has one; when `failover` is
 *   `undo-first` without an undo, or without a second domain; `limit-invalid` when a limit is out of its range; `options-invalid` when an
 *   option is missing, of a wrong kind or not known
 */
export function definePool<
  Input extends JsonValue,
  Output extends JsonValue,
  const Member extends string,
  Undo extends UndoAbility = UndoAbility,
  AcceptedInput = Input,
  AcceptedOutput = Output,
>(
  options: PoolOptions<Input, Output, Member, Undo, AcceptedInput, AcceptedOutput>,
): AgentPool<Input, Output, Member, Undo>;
/** The implementation, without the types of one definition. */
export function definePool(
  options: PoolOptions<JsonValue, JsonValue, string>,
): AgentPool<JsonValue, JsonValue, string> {
  checkOptions(poolForm, `pool ${options.name}`, options);
  const { input, output, undo = 'impossible', failover = 'wait' } = options;
  const name = poolName(options.name);
  const commonDomain = undo === 'unneeded' ? harmless : undefined;
  const domains = Object.entries<MemberOptions>(options.members).map(
    ([member, { domain = commonDomain ?? member }]) => domain,
  );
  const pool = Object.entries<MemberOptions>(options.members).map(
    ([member, { domain = commonDomain ?? member, weight = 1, limits }]): PoolMember => {
      if (!Number.isSafeInteger(weight) || weight < 0 || weight > memberWeightMax) {
        const allowed = `whole numbers from 0 to ${memberWeightMax} are allowed`;
        throw poolInvalid(name, `the weight of ${member} is ${weight}, where ${allowed}`);
      }
      const agent = nameInPool(`${name}-${member}`);
      const sharedGroup = `${name}--${domain}`;
      const isAlone = domain === member && domains.filter((one) => one === domain).length === 1;
      const group = isAlone ? agent : nameInPool(sharedGroup);
      return { agent, domain, weight, group, sharedGroup, ...limitsOption(agent, limits) };
    },
  );
  if (!pool.some(({ weight }) => weight > 0)) {
    throw poolInvalid(name, 'no member has a weight above 0, so none would ever begin a step');
  }
  if (failover === 'undo-first') checkUndoFirst(name, undo, pool);
  return {
    name,
    input,
    output,
    undo,
    pool,
    ...limitsOption(name, options.limits),
    failover,
    member: (member) => ({ name: memberOf({ name, pool }, member), input, output, undo }),
  };
}

/** A name that code without types gives may be of no member. */
function memberOf(
  { name, pool }: { readonly name: string; readonly pool: readonly PoolMember[] },
  member: string,
): AgentName {
  const found = pool.find(({ agent }) => agent === `${name}-${member}`);
  if (found !== undefined) return found.agent;
  const known = pool.map(({ agent }) => agent.slice(name.length + 1)).join(', ');
  throw poolInvalid(name, `it has no member ${JSON.stringify(member)}: its members are ${known}`);
}

function checkUndoFirst(name: string, undo: UndoAbility, pool: readonly PoolMember[]): void {
  if (undo !== 'offered') {
    throw poolInvalid(name, `failover is "undo-first", and its undo is "${undo}", not "offered"`);
  }
  // Also members without a weight count: one that is to get no new step need not leave the pool for it.
  if (new Set(pool.map(({ domain }) => domain)).size < 2) {
    throw poolInvalid(name, 'failover is "undo-first", and its members are of one domain');
  }
}

const poolInvalid = (pool: string, problem: string) =>
  new DefinitionError('pool-invalid', `pool ${pool}: ${problem}.`);
