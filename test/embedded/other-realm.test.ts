/** Errors of Node and SQLite where Reeve is loaded into a context of its own, as Jest and the vm pools of vitest load it: they are of another realm. */
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isBusy, isDamage, isFull, isOfOneRow } from '#embedded/store-error.ts';

/** What `instanceof Error` does not know. */
const foreign = (properties: object): unknown =>
  runInNewContext('Object.assign(new Error("of another realm"), properties)', { properties });

test('an error of SQLite is known by its code', () => {
  expect(foreign({})).not.toBeInstanceOf(Error);
  expect(isFull(foreign({ errcode: 13 }))).toBe(true);
  expect(isBusy(foreign({ errcode: 5 }))).toBe(true);
  expect(isDamage(foreign({ errcode: 11 }))).toBe(true);
});

test('a closed database is none of one row', () => {
  expect(isOfOneRow(foreign({ code: 'ERR_INVALID_STATE' }))).toBe(false);
});
