/** Keys, weights and memory of the fair queue. */
import { expect, test } from 'vitest';
import { countOf, names } from './fair-queue-names.ts';

test('a changed weight applies to items that wait, without a burst for what was before', () => {
  const weights: Record<string, number> = { a: 1, b: 1 };
  const { queue, add, take } = names(weights);
  add('a', 2_000);
  add('b', 2_000);
  expect(countOf(take(100), 'a')).toBe(50);
  weights['a'] = 9;
  queue.reweigh('a');
  expect(Math.abs(countOf(take(100), 'a') - 90)).toBeLessThanOrEqual(1);
  weights['a'] = 0.25;
  queue.reweigh('a');
  expect(Math.abs(countOf(take(100), 'a') - 20)).toBeLessThanOrEqual(1);
});

test('a tenant whose weight grows does not wait for the turn that it had before', () => {
  const weights: Record<string, number> = { a: 0.01, b: 1 };
  const { queue, add, take } = names(weights);
  add('a', 10);
  add('b', 200);
  take(5);
  weights['a'] = 1;
  queue.reweigh('a');
  expect(countOf(take(10), 'a')).toBeGreaterThanOrEqual(4);
});

test('the weight of a tenant without work is read when it has work again', () => {
  const weights: Record<string, number> = { a: 1 };
  const { queue, add, take } = names(weights);
  weights['a'] = 3;
  queue.reweigh('a');
  add('a', 100);
  add('b', 100);
  expect(countOf(take(40), 'a')).toBe(30);
});

test('a tenant that comes back while its last item still counts keeps its turn', () => {
  const { add, take } = names({ b: 2 });
  for (const name of ['a', 'b', 'b', 'c', 'd', 'e']) add(name);
  expect(take(2)).toBe('b a');
  add('a');
  expect(take(5)).toBe('c d e b a');
});

test('among tenants of equal turn the one that waits longest is first', () => {
  const { add, take } = names();
  for (const name of ['c', 'a', 'b']) add(name, 2);
  expect(take(6)).toBe('c a b c a b');
});

test('an item that is added again keeps its position; in another flow it is the last', () => {
  const { queue, take } = names();
  const of = (tenant: string) => ({ priority: 'normal', tenant }) as const;
  for (const key of [1, 2, 3]) queue.add(key, `a${key}`, of('a'));
  queue.add(4, 'b4', of('b'));
  queue.add(2, 'again', of('a'));
  queue.add(1, 'moved', of('b'));
  expect(queue.size()).toBe(4);
  expect(take(4)).toBe('again b4 a3 moved');
});

test('items from the middle and the end of a flow can be removed', () => {
  const { queue, take } = names();
  for (const key of [1, 2, 3, 4, 5, 6]) queue.add(key, `a${key}`, { priority: 'low' });
  for (const key of [2, 3, 6]) queue.remove(key);
  queue.add(7, 'a7', { priority: 'low' });
  expect(take(5)).toBe('a1 a4 a5 a7 nothing');
});

test('a removed item is not served, and its flow is not charged', () => {
  const { queue, take } = names();
  const of = (tenant: string) => ({ priority: 'normal', tenant }) as const;
  for (const key of [1, 2, 3]) queue.add(key, `a${key}`, of('a'));
  for (const key of [4, 5]) queue.add(key, `b${key}`, of('b'));
  expect(queue.remove(2)?.item).toBe('a2');
  expect(queue.remove(2)).toBeUndefined();
  expect(take(5)).toBe('a1 b4 a3 b5 nothing');
  expect(queue.size()).toBe(0);
});

test('tenants without work take no memory', () => {
  const { queue, add, take } = names();
  add('steady', 30_000);
  let most = 0;
  for (let turn = 0; turn < 10_000; turn += 1) {
    add(`once-${turn}`);
    take(2);
    most = Math.max(most, queue.tenants());
  }
  expect(most).toBeLessThanOrEqual(4);
  take(20_000);
  expect([queue.size(), queue.tenants()]).toEqual([0, 0]);
});

test.each([0, -1, Number.NaN, Infinity])('a weight of %d is refused', (weight) => {
  const { add } = names({ a: weight });
  expect(() => add('a')).toThrow('is a positive, finite weight');
});

test('items that are added first are before the others of their flow alone, in the order in which they come', () => {
  const { queue, take } = names();
  queue.add(1, 'high', { priority: 'high' });
  for (const key of [2, 3]) queue.add(key, `normal${key}`, { priority: 'normal' });
  for (const key of [4, 5]) queue.addFirst(key, `first${key}`, { priority: 'normal' });
  expect(take(5)).toBe('high first4 first5 normal2 normal3');
});

test('the last one of those that were added first can be removed, and added again', () => {
  const { queue, take } = names();
  const label = { priority: 'low' } as const;
  queue.add(1, 'a', label);
  for (const key of [2, 3, 4]) queue.addFirst(key, `first${key}`, label);
  queue.remove(4);
  queue.remove(2);
  queue.addFirst(5, 'first5', label);
  queue.addFirst(1, 'again', label);
  expect(take(4)).toBe('first3 first5 again nothing');
  queue.addFirst(6, 'b', label);
  queue.addFirst(7, 'c', label);
  expect(take(2)).toBe('b c');
});

test('a flow gets back the turns that were of no use to it', () => {
  const { queue, add, take } = names();
  add('a', 40);
  add('b', 40);
  for (let turns = 0; turns < 10; turns += 1) {
    expect(take(1)).toBe('a');
    queue.giveBack({ priority: 'normal', tenant: 'a' });
  }
  add('c', 4);
  expect(countOf(take(6), 'c')).toBe(2);
});

test('what was taken of a flow that was forgotten since cannot be given back', () => {
  const { queue, add, take } = names();
  queue.giveBack({ priority: 'high', tenant: 'c' });
  add('a', 2);
  expect(take(3)).toBe('a a nothing');
  queue.giveBack({ priority: 'normal', tenant: 'a' });
  for (const name of ['b', 'b', 'a', 'a']) add(name);
  expect(take(4)).toBe('b a b a');
});
