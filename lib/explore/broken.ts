/** Applies the checkers to one move of a small world. */
import { checkEffects } from '#checkers/end-checker.ts';
import { checkCommands } from '#checkers/send-checker.ts';
import type { Violation } from '#checkers/violation.ts';
import { checkWrite } from '#checkers/write-checker.ts';
import { dueAt } from '#core/decide/due.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { keyOfEntry, type Move, type WorldState } from './small-world.ts';

/** The part of a key that all of its generations have. */
const stepOfKey = (key: string) => key.split('#')[0] ?? key;

/** The first rule that the move violates; null when there is none. */
export function brokenBy(
  definition: WorkflowDefinition,
  { record: before, effects: effectsBefore, nowMs: at }: WorldState,
  { next, decision }: Move,
): Violation | null {
  const { record: after, effects } = next;
  if (decision?.kind === 'transition') {
    const transition = { before, after, definition, at, agent: null, due: dueAt(after) };
    const [first] = [...checkWrite(transition), ...checkCommands(transition, decision.commands)];
    if (first !== undefined) return first;
  }
  // The move to the state before was checked with the same ones.
  if (after === before && effects === effectsBefore) return null;
  const applied = Object.entries(effects).flatMap(([entry, effect]) =>
    effect === 'applied' ? [keyOfEntry(entry)] : [],
  );
  const stepsOf = new Set(applied.map(stepOfKey));
  if (stepsOf.size < applied.length) {
    return {
      rule: 'R25',
      message: 'one step took effect twice: in two domains, or under two keys',
    };
  }
  return checkEffects(
    after,
    definition,
    Object.entries(effects).map(([entry, effect]) => [keyOfEntry(entry), effect] as const),
  );
}
