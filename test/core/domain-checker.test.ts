/** The check that a step in doubt does not leave the domain where its idempotency key is known (R25). */
import { describe, expect, it } from 'vitest';
import { checkWrite } from '#checkers/write-checker.ts';
import { dueAt } from '#core/decide/due.ts';
import { agentName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { by, claim, epoch, expire, flow, gated, ok, play, submit } from './support.ts';

const pool = { north: {}, east: { domain: 'eu' }, west: { domain: 'eu' } };
const definition = flow({ a: { pool, onFault: 'hold' }, b: {} });
const pending = submit(definition);
const late = play(gated(pending, {}, { a: 'a-east' }), [0, claim()], [1_001, expire]);
const done = play(gated(pending, {}, { a: 'a-east' }), [0, claim()], [5, by('a-east', ok('a'))]);
const unneeded = flow({ a: { pool: { north: {}, east: {} }, undo: 'unneeded' }, b: {} });
const effectless = play(
  gated(submit(unneeded), {}, { a: 'a-east' }),
  [0, claim()],
  [5, by('a-east', ok('a'))],
);

/** Whether R25 is violated when the step goes to that agent. */
function violated(before: ProcessRecord, step: string, agent: string, of = definition): boolean {
  const steps = before.steps.map((one) =>
    one.name === step ? { ...one, agent: agentName(agent) } : one,
  );
  const after = { ...before, steps, revision: before.revision + 1 };
  const write = {
    before,
    after,
    definition: of,
    at: epoch + 2_000,
    agent: null,
    due: dueAt(after),
  };
  return checkWrite(write).some(({ rule }) => rule === 'R25');
}

describe('a write', () => {
  it.each<[string, boolean, ProcessRecord, string]>([
    ['keeps the member of a step in doubt', false, late.record, 'svc-a-east'],
    ['gives a step in doubt to another member of its domain', false, late.record, 'svc-a-west'],
    ['gives a step in doubt to the group of its domain', false, late.record, 'svc-a--eu'],
    ['gives a step in doubt to another domain', true, late.record, 'svc-a-north'],
    ['gives a step in doubt to the pool', true, late.record, 'svc-a'],
    ['gives a step in doubt to an agent that was removed', true, late.record, 'svc-a-gone'],
    ['gives a step that was performed to another domain', true, done.record, 'svc-a-north'],
    ['gives a step that was performed to its domain', false, done.record, 'svc-a-west'],
    ['gives a new step to any member', false, pending.record, 'svc-a-north'],
  ])('%s: violation %s', (_, expected, before, agent) => {
    expect(violated(before, 'a', agent)).toBe(expected);
  });

  it('gives a step that has nothing to undo, and was performed, to any member', () => {
    expect(violated(effectless.record, 'a', 'svc-a-north', unneeded)).toBe(false);
  });

  it('gives a step without a pool to another agent: violation', () => {
    expect(violated(pending.record, 'b', 'svc-other')).toBe(true);
  });
});
