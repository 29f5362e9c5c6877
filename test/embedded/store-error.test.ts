/** The class of an SQLite error follows from its code. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { CorruptDataError, RefusedError, UnavailableError } from '#core/model/errors.ts';
import { isDamage, isFull, isOfOneRow, isOfTheSchema, storeError } from '#embedded/store-error.ts';

const raised = (errcode: number) => Object.assign(new Error('SQLite said so'), { errcode });

type StoreErrorClass = typeof UnavailableError | typeof RefusedError | typeof CorruptDataError;

/** The result code, the error class, the error code, the message, and whether it concerns one write alone. */
const kinds: readonly [number, StoreErrorClass, string, RegExp, boolean][] = [
  [
    1,
    UnavailableError,
    'store-unavailable',
    /^SQLite refused a call on the state store a\.db\. .*healthy/,
    false,
  ],
  [5, UnavailableError, 'store-unavailable', /^SQLite refused a call on /, false],
  [
    10,
    UnavailableError,
    'store-unavailable',
    /^The disk failed under the state store a\.db\. /,
    false,
  ],
  [10 + 256 * 3, UnavailableError, 'store-unavailable', /^The disk failed under /, false],
  [
    11,
    CorruptDataError,
    'store-damaged',
    /a\.db is damaged \(SQLite: SQLite said so\).*reeve check.*reeve restore/,
    true,
  ],
  [11 + 256, CorruptDataError, 'store-damaged', /is damaged/, true],
  [13, UnavailableError, 'store-full', /no space for the state store a\.db\. .*Free space/, false],
  [
    18,
    RefusedError,
    'store-refused',
    /refuses a value for the state store a\.db\. .*not retried/,
    true,
  ],
  [19, RefusedError, 'store-refused', /refuses a value/, true],
  [19 + 256 * 6, RefusedError, 'store-refused', /refuses a value/, true],
  [20, RefusedError, 'store-refused', /refuses a value/, true],
  [25, RefusedError, 'store-refused', /refuses a value/, true],
  [26, CorruptDataError, 'store-damaged', /is damaged/, true],
];

test.each(kinds)('result code %i', (errcode, type, code, message, ofOneRow) => {
  const cause = raised(errcode);
  const said = storeError(cause, 'a.db');
  expect(said).toBeInstanceOf(type);
  expect(said).toMatchObject({ code, message: expect.stringMatching(message), cause });
  expect(isOfOneRow(cause)).toBe(ofOneRow);
  expect(isFull(cause)).toBe(code === 'store-full');
  expect(isDamage(cause)).toBe(code === 'store-damaged');
  expect(isOfTheSchema(cause)).toBe(errcode === 1);
});

test('the error of a closed database says that it is closed, and concerns no row', () => {
  const database = new DatabaseSync(':memory:');
  const statement = database.prepare('SELECT 1');
  database.close();
  const cause = errorOf(() => statement.get());
  expect(storeError(cause, 'a.db')).toMatchObject({
    code: 'store-closed',
    message: 'The state store a.db is closed.',
    cause,
  });
  expect(storeError(cause, 'a.db')).toBeInstanceOf(UnavailableError);
  expect(isOfOneRow(cause)).toBe(false);
});

test('the errors of SQLite for a missing table and for a duplicate value are known', () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  expect(isOfTheSchema(errorOf(() => database.exec('SELECT * FROM Nothing')))).toBe(true);
  database.exec('CREATE TABLE T (V PRIMARY KEY); INSERT INTO T VALUES (1)');
  const twice = errorOf(() => database.exec('INSERT INTO T VALUES (1)'));
  expect(storeError(twice, 'a.db')).toMatchObject({ code: 'store-refused' });
});

test.each<[string, unknown]>([
  ['an error of something else', new TypeError('no')],
  ['an error with a code of something else', Object.assign(new Error('no'), { code: 'ENOENT' })],
  ['an error whose result code is no number', Object.assign(new Error('no'), { errcode: '13' })],
  ['what looks like an error of SQLite', { errcode: 13, message: 'full' }],
  ['what looks like a closed database', { code: 'ERR_INVALID_STATE' }],
  ['nothing', null],
])('%s stays as it is, and is about what raised it alone', (_, error) => {
  expect(storeError(error, 'a.db')).toBe(error);
  expect([isFull(error), isDamage(error), isOfTheSchema(error)]).toEqual([false, false, false]);
  expect(isOfOneRow(error)).toBe(true);
});

function errorOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was raised.');
}
