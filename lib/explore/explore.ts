/** Breadth-first search of all states of a small world: every move is safe, and every state can reach an end. */
import type { Violation } from '#checkers/violation.ts';
import { brokenBy } from './broken.ts';
import { canonicalTexts } from './canonical.ts';
import { movesOf } from './moves.ts';
import { firstState, type Move, type SmallWorld, type WorldState } from './small-world.ts';

/** What can be explored: states, and the moves between them. */
export interface Explorable<State> {
  readonly name: string;
  readonly first: State;
  /** A promise where shipped code that waits says what they are. */
  moves(state: State): readonly Move<State>[] | Promise<readonly Move<State>[]>;
  /** The same text for states with the same behaviour. */
  textOf(state: State): string;
  /** Null when the move violates no rule. */
  brokenBy(state: State, move: Move<State>): Violation | null;
  /** R16: the orders have ended, or wait for an operator. */
  isEnd(state: State): boolean;
}

/** A world of one order. */
export const oneOrder = (world: SmallWorld): Explorable<WorldState> => ({
  name: world.name,
  first: firstState(world),
  moves: (state) => movesOf(world, state),
  textOf: canonicalTexts(),
  brokenBy: (state, move) => brokenBy(world.workflow, state, move),
  isEnd: isAtEnd,
});

/** The result of an exploration. */
export interface Exploration {
  readonly name: string;
  readonly states: number;
  /** The number of moves to the farthest state. */
  readonly depth: number;
  /** Whether all reachable states were explored. */
  readonly complete: boolean;
  /** At most three, each with a shortest path. */
  readonly violations: readonly FoundViolation[];
}

/** A violation with the labels of the moves from the first state. */
export interface FoundViolation extends Violation {
  readonly path: readonly string[];
}

/** Further violations mostly have the same cause. */
const violationsMax = 3;

interface Found {
  readonly parent: number;
  readonly label: string;
  readonly depth: number;
}

/** @param statesMax the search stops after this many states */
export async function explore<State>(
  world: Explorable<State>,
  statesMax: number,
): Promise<Exploration> {
  const numbers = new Map([[world.textOf(world.first), 0]]);
  const found: Found[] = [{ parent: -1, label: 'submit', depth: 0 }];
  const from: number[][] = [[]];
  const ends: number[] = [];
  const violations: FoundViolation[] = [];
  let frontier: [number, State][] = [[0, world.first]];
  let depth = 0;

  while (frontier.length > 0 && numbers.size <= statesMax && violations.length < violationsMax) {
    const nextFrontier: [number, State][] = [];
    for (const [number, state] of frontier) {
      if (world.isEnd(state)) ends.push(number);
      const moves = world.moves(state);
      for (const move of moves instanceof Promise ? await moves : moves) {
        const violation = world.brokenBy(state, move);
        if (violation !== null && violations.length < violationsMax) {
          violations.push({ ...violation, path: [...pathTo(found, number), move.label] });
        }
        const key = world.textOf(move.next);
        const known = numbers.get(key);
        const to = known ?? numbers.size;
        if (known === undefined) {
          numbers.set(key, to);
          found.push({ parent: number, label: move.label, depth: depth + 1 });
          from.push([]);
          nextFrontier.push([to, move.next]);
        }
        if (to !== number) from[to]?.push(number);
      }
    }
    frontier = nextFrontier;
    if (frontier.length > 0) depth += 1;
  }
  const complete = frontier.length === 0;
  if (complete) violations.push(...stuck(found, from, ends).slice(0, violationsMax));
  return { name: world.name, states: numbers.size, depth, complete, violations };
}

/** R16: the order has ended, or waits for an operator. */
export function isAtEnd({ record }: WorldState): boolean {
  const { processState } = record;
  return processState === 'Processed' || processState === 'Undone' || processState === 'Error';
}

/** R16: the states from which no end can be reached. */
function stuck(
  found: readonly Found[],
  from: readonly number[][],
  ends: readonly number[],
): readonly FoundViolation[] {
  const reaches = new Uint8Array(found.length);
  const open = [...ends];
  for (const end of ends) reaches[end] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const before of from[at] ?? []) {
      if (reaches[before] === 1) continue;
      reaches[before] = 1;
      open.push(before);
    }
  }
  return [...reaches.keys()]
    .filter((number) => reaches[number] === 0)
    .map((number) => ({
      rule: 'R16',
      message: 'no end can be reached',
      path: pathTo(found, number),
    }));
}

function pathTo(found: readonly Found[], number: number): string[] {
  const labels: string[] = [];
  for (let at: number = number; at >= 0; at = found[at]?.parent ?? -1) {
    labels.push(found[at]?.label ?? '');
  }
  return labels.reverse();
}
