import { expect, test } from 'vitest';
import { listShard } from '#sim/list-shard.ts';

const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

test('all shards together have each item once', () => {
  const shards = ['1/3', '2/3', '3/3'].map((shard) => listShard(items, shard));
  expect(shards).toEqual([
    ['a', 'd', 'g'],
    ['b', 'e'],
    ['c', 'f'],
  ]);
});

test('the only shard has everything', () => expect(listShard(items, '1/1')).toEqual(items));

test.each(['0/3', '4/3', '1/0', '1', '', '1/3/5', '-1/3', '1.5/3'])(
  '"%s" is refused, with a message',
  (shard) => expect(() => listShard(items, shard)).toThrow(/give a number and how many there are/),
);
