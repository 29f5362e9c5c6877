/**
 * Where the steps wait that may go to several members of a pool. Those of all orders wait in one list, as long as their workflows have the
 * same members: a version that has another one has a list of its own, because a slot of this member is of no use to the others.
 */
import type { WaitedMember } from '#core/decide/choose-agent.ts';
import { type AgentGate, type HeldIn, waitingIn } from '../agent-gate.ts';
import { fillInTurn } from '../waiting-sources.ts';
import type { WaitingSteps } from '../waiting-steps.ts';
import { type PoolGateOptions, poolGate } from './pool-gate.ts';

/** Options of {@link poolLists}. */
export interface PoolListsOptions extends Omit<PoolGateOptions, 'members'> {
  /** All that the pool has in any version. */
  readonly members: readonly string[];
  /** Whether the agent may get any call of the pool now, by one of the versions. */
  readonly takes: (agent: string) => boolean;
  /** The weight of a member now. */
  readonly weightOf: (member: WaitedMember & { readonly weight: number }) => number;
  readonly of: (agent: string) => AgentGate;
}

/** The steps that wait under one name. */
export interface PoolLists {
  /** The list of the steps that wait for these members. Undefined: for all that the pool has. */
  in(members: readonly WaitedMember[] | undefined): HeldIn;
  /** See {@link HeldIn}; in each list. */
  forget(step: string): boolean;
  /** See {@link HeldIn}; of all that the pool has. */
  isBarred(): boolean;
  /** The steps that the agent may get. Of a pool that it takes no step of, none waits for it. */
  sourceOf(agent: string): Pick<WaitingSteps, 'size' | 'fill'>;
  fill(): void;
  close(): void;
}

interface List {
  readonly steps: WaitingSteps;
  readonly takes: (agent: string) => boolean;
}

/** No step waits at first. */
export function poolLists({
  members: all,
  takes,
  weightOf,
  of,
  ...options
}: PoolListsOptions): PoolLists {
  const made = new Map<string, List>();

  function make(agents: readonly string[], ownTakes: List['takes']): List {
    const members = () => agents.filter(ownTakes).map(of);
    return { steps: poolGate({ ...options, members }), takes: ownTakes };
  }

  const whole = make(all, takes);
  const lists = [whole];

  function listOf(members: readonly WaitedMember[]): List {
    const key = members.map(keyOf).toSorted().join();
    const known = made.get(key);
    if (known !== undefined) return known;
    const own = new Map<string, WaitedMember>(members.map((member) => [member.agent, member]));
    const list = make([...own.keys()], (agent) => {
      const member = own.get(agent);
      return member !== undefined && (!hasWeight(member) || weightOf(member) > 0);
    });
    made.set(key, list);
    lists.push(list);
    return list;
  }

  return {
    in: (members) => waitingIn((members === undefined ? whole : listOf(members)).steps),
    forget: (step) => lists.filter(({ steps }) => steps.remove(step)).length > 0,
    isBarred: whole.steps.isBarred,
    sourceOf(agent) {
      const fill = fillInTurn();
      const sizeOf = ({ steps, takes: takesOwn }: List) =>
        steps.size() > 0 && takesOwn(agent) ? steps.size() : 0;
      return {
        // Each call of the agent comes here.
        size() {
          let sum = 0;
          for (const list of lists) sum += sizeOf(list);
          return sum;
        },
        fill() {
          fill(lists.filter((list) => sizeOf(list) > 0).map(({ steps }) => steps));
        },
      };
    },
    fill() {
      for (const { steps } of lists) steps.fill();
    },
    close() {
      for (const { steps } of lists) steps.close();
    },
  };
}

const hasWeight = (member: WaitedMember): member is WaitedMember & { readonly weight: number } =>
  member.weight !== null;

/** Operators give a member another weight in all versions at once, so it is enough to know which have one by their definition. */
const keyOf = ({ agent, weight }: WaitedMember): string =>
  `${agent} ${weight === null ? 'bound' : weight > 0}`;
