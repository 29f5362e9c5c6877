/** In which order the gates of the members of a pool are asked. */
import { describe, expect, it } from 'vitest';
import { memberOrder } from '#core/decide/choose-agent.ts';
import type { MemberOptions } from '#core/definition/agent-pool.ts';
import { agentName } from '#core/model/ids.ts';
import type { StepRecord } from '#core/model/record.ts';
import { randoms } from '../support/randoms.ts';
import { epoch, flow, poolOf, submit } from './support.ts';

type Members = Readonly<Record<string, MemberOptions>>;

/** East and west are one domain; south is asked for no new call. */
const members = { north: {}, east: { domain: 'eu' }, west: { domain: 'eu' }, south: { weight: 0 } };
const [fresh] = submit(flow({ a: { pool: members } })).record.steps;
const { pool } = poolOf('svc-a', members);

function stepAt(agent: string, more: Partial<StepRecord> = {}): StepRecord {
  if (fresh === undefined) throw new Error('the workflow has a step');
  return { ...fresh, agent: agentName(agent), ...more };
}
const doubt = { doubtUntil: epoch + 1_000 };
const held = {
  progress: {
    state: 'Held',
    gate: 'circuit',
    since: epoch,
    until: epoch + 1,
    before: { state: 'NotStarted' },
  },
} as const;

describe('the order in which members are asked', () => {
  const ordersOf = (of: Members, step: StepRecord, draws: number, seed = 1) => {
    const random = randoms(seed);
    const drawn = poolOf('svc-a', of).pool;
    return Array.from({ length: draws }, () =>
      memberOrder(drawn, step, random)
        .map((agent) => agent.replace('svc-a-', ''))
        .join(' '),
    );
  };
  const shareOf = (orders: readonly string[], which: (order: string) => boolean) =>
    orders.filter(which).length / orders.length;

  it('is drawn by weight, and so is that of the others', () => {
    const weighted = { big: { weight: 6 }, mid: { weight: 3 }, small: {} };
    const orders = ordersOf(weighted, stepAt('svc-a'), 20_000);
    const first = (name: string) => shareOf(orders, (order) => order.startsWith(name));
    expect(first('big')).toBeCloseTo(0.6, 1);
    expect(first('mid')).toBeCloseTo(0.3, 1);
    expect(first('small')).toBeCloseTo(0.1, 1);
    const bigFirst = orders.filter((order) => order.startsWith('big'));
    expect(shareOf(bigFirst, (order) => order === 'big mid small')).toBeCloseTo(0.75, 1);
  });

  it('has those of the domain last where a step was undone first', () => {
    const undone = { undoFirst: { isDone: true, performFailures: 2, undoFailures: 0 } } as const;
    const orders = ordersOf(members, stepAt('svc-a-east', undone), 500);
    expect(new Set(orders)).toEqual(new Set(['north south east west', 'north south west east']));
    const inDoubt = ordersOf(members, stepAt('svc-a-east', { ...undone, ...doubt }), 500);
    expect(inDoubt.every((order) => order.endsWith(' east'))).toBe(true);
  });

  it('has each member once, and those without a weight last', () => {
    const orders = ordersOf(members, stepAt('svc-a'), 2_000);
    expect(new Set(orders.map((order) => order.split(' ').toSorted().join(' ')))).toEqual(
      new Set(['east north south west']),
    );
    expect(shareOf(orders, (order) => order.endsWith('south'))).toBe(1);
  });

  it('of a step in doubt ends with the member that did not answer', () => {
    const { north, east, west } = members;
    const orders = ordersOf({ north, east, west }, stepAt('svc-a-east', doubt), 1_000);
    expect(shareOf(orders, (order) => order.endsWith('east'))).toBe(1);
    expect(shareOf(orders, (order) => order.startsWith('north'))).toBeCloseTo(0.5, 1);
  });

  it('of a step without doubt does not depend on the member that it had', () => {
    const orders = ordersOf({ a: {}, b: {} }, stepAt('svc-a-a'), 2_000);
    expect(shareOf(orders, (order) => order.startsWith('a'))).toBeCloseTo(0.5, 1);
  });

  it('of a step that is held for one member begins with that, in doubt or not', () => {
    for (const more of [held, { ...held, ...doubt }]) {
      const orders = ordersOf(members, stepAt('svc-a-west', more), 500);
      expect(shareOf(orders, (order) => order.startsWith('west'))).toBe(1);
    }
  });

  it('of a step that is held for all of them is drawn', () => {
    const orders = ordersOf({ a: {}, b: {} }, stepAt('svc-a', held), 2_000);
    expect(shareOf(orders, (order) => order.startsWith('a'))).toBeCloseTo(0.5, 1);
  });

  it('is defined for the smallest and the largest number that is drawn', () => {
    for (const number of [0, 1 - 2 ** -53]) {
      expect(memberOrder(pool, stepAt('svc-a'), () => number).toSorted()).toEqual(
        pool.map(({ agent }) => agent).toSorted(),
      );
    }
  });
});
