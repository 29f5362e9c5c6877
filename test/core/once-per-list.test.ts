/** What lists of definitions determine: computed once for a list that cannot change, and anew for any other. */
import { expect, it } from 'vitest';
import {
  oncePerList,
  poolsOf,
  widestPoolsOf,
  workflowRegistry,
} from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { flow } from './support.ts';

const one = flow({ a: {} });
const other = flow({ b: {} });
const stepsIn = oncePerList((definitions) =>
  definitions.flatMap(({ steps }) => steps.map(({ name }) => name)),
);

it('computes once for the list of a registry', () => {
  const { all } = workflowRegistry([one]);
  expect(stepsIn(all)).toEqual(['a']);
  expect(stepsIn(all)).toBe(stepsIn(all));
  expect(poolsOf(all)).toBe(poolsOf(all));
});

it('keeps the results of different functions and lists apart', () => {
  const { all } = workflowRegistry([one]);
  expect(poolsOf(all)).not.toBe(widestPoolsOf(all));
  expect(stepsIn(workflowRegistry([other]).all)).toEqual(['b']);
});

it('sees what was added to a list that can change', () => {
  const list: WorkflowDefinition[] = [one];
  expect(stepsIn(list)).toEqual(['a']);
  list.push(other);
  expect(stepsIn(list)).toEqual(['a', 'b']);
});
