/** Pools of agents: their members, and which of them may get a call (R25). */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { membersFor, waitedMembers, waitsUnder } from '#core/decide/choose-agent.ts';
import type { UndoAbility } from '#core/definition/agent.ts';
import { definePool, type Failover, type MemberOptions } from '#core/definition/agent-pool.ts';
import { poolsOf } from '#core/definition/registry.ts';
import { DefinitionError, ReeveError } from '#core/model/errors.ts';
import { type Action, agentName } from '#core/model/ids.ts';
import type { StepRecord } from '#core/model/record.ts';
import { epoch, flow, poolOf, submit } from './support.ts';

type Members = Readonly<Record<string, MemberOptions>>;

const domainsOf = (members: Members, undo?: UndoAbility) =>
  poolOf('pay', members, undo).pool.map(
    ({ agent, domain, weight, group }) => `${agent} ${domain} ${weight} ${group}`,
  );

describe('the definition of a pool', () => {
  it.each<[string, Members, UndoAbility, readonly string[]]>([
    [
      'gives each member its domain and the weight 1',
      { north: {}, south: {} },
      'offered',
      ['pay-north north 1 pay-north', 'pay-south south 1 pay-south'],
    ],
    [
      'that cannot undo gives each member its domain as well',
      { north: {}, south: {} },
      'impossible',
      ['pay-north north 1 pay-north', 'pay-south south 1 pay-south'],
    ],
    [
      'that has nothing to undo has one domain',
      { north: {}, south: {} },
      'unneeded',
      ['pay-north any 1 pay--any', 'pay-south any 1 pay--any'],
    ],
    [
      'that has nothing to undo may state other domains',
      { north: {}, south: { domain: 'other' } },
      'unneeded',
      ['pay-north any 1 pay--any', 'pay-south other 1 pay--other'],
    ],
    [
      'groups members of one domain, which wait under its name',
      { east: { domain: 'eu' }, west: { domain: 'eu' }, us: { weight: 0 } },
      'offered',
      ['pay-east eu 1 pay--eu', 'pay-west eu 1 pay--eu', 'pay-us us 0 pay-us'],
    ],
    [
      'groups members of a domain that one of them gives its name',
      { eu: {}, west: { domain: 'eu' }, us: {} },
      'offered',
      ['pay-eu eu 1 pay--eu', 'pay-west eu 1 pay--eu', 'pay-us us 1 pay-us'],
    ],
    [
      'may have one member, and weights from 0 to 100',
      { north: { weight: 100 } },
      'offered',
      ['pay-north north 100 pay-north'],
    ],
  ])('%s', (_, members, undo, expected) => {
    expect(domainsOf(members, undo)).toEqual(expected);
  });

  // The name of the group is too long: that of the pool, twice.
  it('that has nothing to undo may have a name of more than 19 characters', () => {
    const { pool } = poolOf('address-validation-service', { eu: {}, us: {} }, 'unneeded');
    expect(pool.map(({ domain }) => domain)).toEqual([pool[0]?.domain, pool[0]?.domain]);
  });

  it('is the contract of its members', () => {
    const pool = poolOf('pay', { north: {} }, 'unneeded');
    const { input, output } = pool;
    expect(pool.name).toBe('pay');
    expect(pool.member('north')).toEqual({ name: 'pay-north', input, output, undo: 'unneeded' });
  });

  it('can undo nothing where it does not say so', () => {
    const schema = z.json();
    const pool = definePool({ name: 'pay', input: schema, output: schema, members: { north: {} } });
    expect([pool.undo, pool.member('north').undo]).toEqual(['impossible', 'impossible']);
  });

  it.each<[string, Members, string, UndoAbility?, Failover?]>([
    [
      'a negative weight',
      { north: { weight: -1 }, south: {} },
      'the weight of north is -1, where whole numbers from 0 to 100 are allowed',
    ],
    ['a weight above 100', { north: { weight: 101 } }, 'the weight of north is 101'],
    ['a weight of a fraction', { north: { weight: 0.5 } }, 'the weight of north is 0.5'],
    ['a weight that is no number', { north: { weight: Number.NaN } }, 'the weight of north is NaN'],
    [
      'no weight above 0',
      { north: { weight: 0 }, south: { weight: 0 } },
      'no member has a weight above 0, so none would ever begin a step',
    ],
    ['no member', {}, 'no member has a weight above 0'],
    [
      'failover between members of one domain',
      { north: { domain: 'eu' }, south: { domain: 'eu' } },
      'failover is "undo-first", and its members are of one domain',
      'offered',
      'undo-first',
    ],
    [
      'failover and no undo',
      { north: {}, south: {} },
      'failover is "undo-first", and its undo is "impossible", not "offered"',
      'impossible',
      'undo-first',
    ],
    [
      'failover and nothing to undo',
      { north: {}, south: { domain: 'other' } },
      'failover is "undo-first", and its undo is "unneeded", not "offered"',
      'unneeded',
      'undo-first',
    ],
  ])('with %s is invalid', (_, members, problem, undo, failover) => {
    const build = () => poolOf('pay', members, undo, failover);
    expect(build).toThrow(DefinitionError);
    expect(build).toThrow(expect.objectContaining({ code: 'pool-invalid' }));
    expect(build).toThrow(`pool pay: ${problem}`);
  });

  it.each<[string, string, Members]>([
    ['a name of another form', 'Pay', { north: {} }],
    ['a member of another form', 'pay', { North: {} }],
    ['a domain of another form', 'pay', { a: { domain: 'E U' }, b: { domain: 'E U' }, c: {} }],
    ['a member whose agent has a name of more than 40 characters', 'pay', { ['n'.repeat(37)]: {} }],
  ])('with %s is malformed', (_, name, members) => {
    const build = () => poolOf(name, members);
    expect(build).toThrow(ReeveError);
    expect(build).toThrow(expect.objectContaining({ code: 'id-malformed' }));
  });

  it('names its groups for the roles: the pool with its members that have a weight, a domain with all of its', () => {
    const members = { east: { domain: 'eu' }, west: { domain: 'eu', weight: 0 }, us: {} };
    const other = { us: {}, mx: {} };
    const pools = poolsOf([
      flow({ a: { pool: members }, b: {}, c: { pool: { one: {} } } }),
      { ...flow({ a: { pool: other } }), version: 2 },
    ]);
    expect([...pools].map(([name, agents]) => `${name}: ${agents.join(' ')}`)).toEqual([
      'svc-a: svc-a-east svc-a-us svc-a-mx',
      'svc-a--eu: svc-a-east svc-a-west',
      'svc-c: svc-c-one',
    ]);
  });

  it('has its members with their weights for a step that waits for any, and those of a domain without', () => {
    const members = { east: { domain: 'eu' }, west: { domain: 'eu', weight: 0 }, us: {} };
    const [step] = flow({ a: { pool: members } }).steps;
    if (step === undefined) throw new Error('there is one');
    const waitedFor = (name: string) =>
      waitedMembers(step, agentName(name)).map(({ agent, weight }) => `${agent} ${weight}`);
    expect(waitedFor('svc-a')).toEqual(['svc-a-east 1', 'svc-a-west 0', 'svc-a-us 1']);
    expect(waitedFor('svc-a--eu')).toEqual(['svc-a-east null', 'svc-a-west null']);
  });

  it('waits in doubt where it does not say otherwise, and may fail over to a member without a weight', () => {
    expect(poolOf('pay', { north: {}, south: {} }).failover).toBe('wait');
    const members = { north: {}, south: { weight: 0 } };
    expect(poolOf('pay', members, 'offered', 'undo-first').failover).toBe('undo-first');
  });

  it('has the same workflow with and without failover, which may change while orders run', () => {
    const [waits, fails] = (['wait', 'undo-first'] as const).map((failover) =>
      flow({ a: { pool: { north: {}, south: {} }, coolDown: { after: 100, times: 1 }, failover } }),
    );
    expect(fails?.fingerprint).toBe(waits?.fingerprint);
    expect(fails?.steps[0]?.failover).toBe('undo-first');
  });

  it('leaves less room for outputs where a step may be undone first: each attempt of its undos counts', () => {
    const room = (failover: Failover) => {
      const undoPolicy = { retries: 1, coolDown: { after: 100, times: 0 } };
      const spec = { undoPolicy, retries: 0, coolDown: { after: 100, times: 2 } };
      const names = Array.from({ length: 64 }, (_, at) => `s${at}`);
      const pool = { one: {}, two: {} };
      const steps = names.map((name) => [name, { ...spec, pool, failover }] as const);
      return flow(Object.fromEntries(steps)).steps[0]?.outputBytesMax ?? 0;
    };
    // Two attempts of the policy of the undo, and one that succeeds after each of two rounds.
    expect(room('wait') - room('undo-first')).toBe((2 + 2) * (160 + 90));
  });

  it('leaves less room for outputs: the record has 90 bytes more for each attempt', () => {
    const room = (pool: Members | null) => {
      const spec = { retries: 3, ...(pool && { pool }) };
      const names = Array.from({ length: 64 }, (_, at) => `s${at}`);
      const [first] = flow(Object.fromEntries(names.map((name) => [name, spec]))).steps;
      return first?.outputBytesMax ?? 0;
    };
    expect(room(null) - room({ one: {}, two: {} })).toBe(4 * 90);
  });
});

/** East and west are one domain; south is asked for no new call. */
const members = { north: {}, east: { domain: 'eu' }, west: { domain: 'eu' }, south: { weight: 0 } };
const known = flow({ a: { pool: members } });
const [definition] = known.steps;
const [fresh] = submit(known).record.steps;
const { pool } = poolOf('svc-a', members);

function stepAt(agent: string, more: Partial<StepRecord> = {}): StepRecord {
  if (fresh === undefined) throw new Error('the workflow has a step');
  return { ...fresh, agent: agentName(agent), ...more };
}
const doubt = { doubtUntil: epoch + 1_000 };
const undone = { undoFirst: { isDone: true, performFailures: 2, undoFailures: 0 } } as const;
describe('the members that may get a call', () => {
  it.each<[string, StepRecord, Action, string, string]>([
    ['a new step', stepAt('svc-a'), 'perform', 'north east west', 'svc-a'],
    ['a step that had no effect', stepAt('svc-a-east'), 'perform', 'north east west', 'svc-a'],
    ['a step in doubt', stepAt('svc-a-north', doubt), 'perform', 'north', 'svc-a-north'],
    [
      'one in doubt in a domain of two',
      stepAt('svc-a-west', doubt),
      'perform',
      'east west',
      'svc-a--eu',
    ],
    [
      'one that waits for the domain',
      stepAt('svc-a--eu', doubt),
      'perform',
      'east west',
      'svc-a--eu',
    ],
    [
      'one in doubt without a weight',
      stepAt('svc-a-south', doubt),
      'perform',
      'south',
      'svc-a-south',
    ],
    ['an undo', stepAt('svc-a-north'), 'undo', 'north', 'svc-a-north'],
    ['an undo in a domain of two', stepAt('svc-a-east'), 'undo', 'east west', 'svc-a--eu'],
    ['an undo that waits for the domain', stepAt('svc-a--eu'), 'undo', 'east west', 'svc-a--eu'],
    ['an undo at a member that was removed', stepAt('svc-a-gone'), 'undo', 'gone', 'svc-a-gone'],
    [
      'doubt at a member that was removed',
      stepAt('svc-a-gone', doubt),
      'perform',
      'gone',
      'svc-a-gone',
    ],
  ])('of %s', (_, step, action, expected, name) => {
    const names = membersFor(pool, step, action).map(({ agent }) => agent.replace('svc-a-', ''));
    expect(names.join(' ')).toBe(expected);
    if (definition === undefined) throw new Error('the workflow has a step');
    expect(waitsUnder(definition, step, action)).toBe(name);
  });

  it.each<[string, StepRecord, string]>([
    ['a step that was undone first', stepAt('svc-a-north', undone), 'east west north'],
    ['one of a domain of two', stepAt('svc-a-east', undone), 'north east west'],
    ['one that waited for the domain', stepAt('svc-a--eu', undone), 'north east west'],
    ['one whose member was removed', stepAt('svc-a-gone', undone), 'north east west'],
    ['one that waits for any member', stepAt('svc-a', undone), 'north east west'],
    ['one that is in doubt again', stepAt('svc-a-north', { ...undone, ...doubt }), 'north'],
  ])('of %s: those of other domains first', (_, step, expected) => {
    const names = membersFor(pool, step, 'perform').map(({ agent }) => agent.replace('svc-a-', ''));
    expect(names.join(' ')).toBe(expected);
  });

  it('a step without a pool waits for its agent', () => {
    expect(waitsUnder({ agent: agentName('svc-a') }, stepAt('svc-a'), 'perform')).toBe('svc-a');
  });
});
