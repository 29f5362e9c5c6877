/** Pools whose members change while orders run, and orders that stop before a member has their call. */
import { expect, it } from 'vitest';
import { membersFor } from '#core/decide/choose-agent.ts';
import { poolsOf } from '#core/definition/registry.ts';
import { agentsOf } from '#core/definition/workflow-definition.ts';
import { replay } from '#core/view/replay.ts';
import { claim, expire, flow, gated, play, type Situation, submit } from './support.ts';

const full = { a: { hold: 'concurrency', until: 1_500 } } as const;
const later = ({ record }: Situation, { known }: Situation): Situation => ({ record, known });

it('R15 an order that a failing input stops while a gate holds its step replays', () => {
  const input = () => {
    throw new TypeError('broken');
  };
  const pending = submit(flow({ a: { pool: { north: {}, west: {} }, input } }));
  const { record } = play(gated(pending, full), [0, claim()]);
  expect(replay(record, pending.known).at(-1)).toEqual(record);
});

/** In doubt, and held, with these members; then the pool has those. */
function redeployed(before: object, after: object) {
  const [old, next] = [before, after].map((pool) => submit(flow({ a: { pool: { ...pool } } })));
  if (old === undefined || next === undefined) throw new Error('there are two definitions');
  const late = play(old, [0, claim()], [1_001, expire]);
  const held = play(gated(later(late, old), full), [1_002, claim()]);
  const [step] = held.record.steps;
  const [definition] = next.known.definition.steps;
  if (step === undefined || definition?.pool === undefined) throw new Error('there is a pool');
  const members = membersFor(definition.pool, step, 'perform').map(({ agent }) => agent);
  return { members, agents: agentsOf(definition) };
}

it.each<[string, object, object]>([
  ['a second member is added to a pool of one', { north: {} }, { north: {}, south: {} }],
  [
    'a domain is added to a pool of one domain',
    { north: { domain: 'eu' }, west: { domain: 'eu' } },
    { north: { domain: 'eu' }, west: { domain: 'eu' }, us: {} },
  ],
  [
    'a member is removed from a domain of two',
    { north: { domain: 'eu' }, west: { domain: 'eu' }, us: {} },
    { north: { domain: 'eu' }, us: {} },
  ],
  [
    'a member is removed from a domain that has the name of the other one',
    { eu: {}, west: { domain: 'eu' }, us: {} },
    { eu: {}, us: {} },
  ],
])('a step in doubt that is held while %s goes to an agent that exists', (_, before, after) => {
  const { members, agents } = redeployed(before, after);
  expect(agents).toEqual(expect.arrayContaining([...members]));
});

it('a step in doubt at a member that gives its domain to another one waits for both', () => {
  const pending = submit(flow({ a: { pool: { eu: {}, west: { domain: 'eu' }, us: {} } } }));
  const { definition } = pending.known;
  const late = play(gated(pending, {}, { a: 'a-eu' }), [0, claim()], [1_001, expire]);
  const held = play(gated(later(late, pending), full), [1_002, claim()]);
  const [step] = held.record.steps;
  if (step === undefined) throw new Error('there is a step');
  expect(poolsOf([definition]).get(step.agent)).toEqual(['svc-a-eu', 'svc-a-west']);
  const agents: readonly string[] = definition.steps.flatMap(agentsOf);
  // checkAgents refuses a pool with the name of an agent.
  expect([...poolsOf([definition]).keys()].filter((name) => agents.includes(name))).toEqual([]);
});
