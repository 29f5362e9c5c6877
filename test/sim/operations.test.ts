import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { contradictionIn, type Operation } from '#sim/checks/operations.ts';

const one = orderId('one');
const write = (
  revision: number,
  writeId: string,
  won: boolean | null,
  from: number,
  to: number | null,
  replaced = revision - 1,
) =>
  ({
    kind: 'write',
    orderId: one,
    revision,
    replaced,
    writeId,
    won,
    askedAt: from,
    answeredAt: to,
  }) as const;
const read = (revision: number | null, from: number, to: number | null) =>
  ({ kind: 'read', orderId: one, revision, askedAt: from, answeredAt: to }) as const;

describe('a contradiction', () => {
  test.each<[string, Operation[]]>([
    ['two winners', [write(2, 'a', true, 1, 2), write(2, 'b', true, 1, 3)]],
    ['two winners of one part', [write(4, 'a', true, 1, 2, 1), write(3, 'b', true, 1, 3)]],
    ['a read between two decisions', [write(3, 'a', true, 1, 2, 1), read(2, 3, 4)]],
    ['a stale read', [write(1, 'a', true, 1, 2), write(2, 'b', true, 3, 4), read(1, 5, 6)]],
    ['a read that goes back', [write(1, 'a', null, 1, null), read(1, 2, 3), read(0, 4, 5)]],
    ['a read of a revision that was not written', [read(3, 1, 2), write(3, 'a', true, 4, 5)]],
    [
      'a late winner',
      [write(2, 'a', true, 1, 2), write(3, 'b', true, 3, 4), write(2, 'c', true, 5, 6)],
    ],
    ['a refusal without a rival', [write(1, 'a', true, 1, 2), write(2, 'b', false, 3, 4)]],
    ['a refusal of one’s own', [write(2, 'a', true, 1, 2), write(2, 'a', false, 3, 4)]],
  ])('is found: %s', (_, operations) => {
    expect(contradictionIn(operations)).toEqual(expect.any(String));
  });

  test.each<[string, Operation[]]>([
    ['a read beside a write', [write(1, 'a', true, 1, 4), read(0, 2, 3)]],
    ['the other read beside it', [write(1, 'a', true, 1, 4), read(1, 2, 3)]],
    ['an answer that never came', [write(1, 'a', null, 1, null), read(1, 2, 3)]],
    ['one that was recognised', [write(2, 'a', true, 1, 2), write(2, 'a', true, 3, 4)]],
    [
      'a defeat by a write of several decisions',
      [write(4, 'a', true, 1, 3, 1), write(2, 'b', false, 2, 4)],
    ],
    [
      'a defeat of a write of several decisions',
      [write(2, 'a', true, 1, 3), write(4, 'b', false, 2, 4, 1)],
    ],
    ['a defeat', [write(2, 'a', true, 1, 3), write(2, 'b', false, 2, 4)]],
  ])('is none: %s', (_, operations) => {
    expect(contradictionIn(operations)).toBeNull();
  });
});

/** The answers of a correct register, with each operation at its own instant. */
const histories = fc
  .array(
    fc.record({
      kind: fc.constantFrom('write', 'read'),
      before: fc.nat({ max: 5 }),
      after: fc.nat({ max: 5 }),
      answered: fc.boolean(),
      stale: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((drawn) => {
    let revision = 0;
    return drawn.map(({ kind, before, after, answered, stale }, at): Operation => {
      const instant = 10 * (at + 1);
      const [from, to] = [instant - before, answered ? instant + after : null];
      if (kind === 'read') return read(to === null ? null : revision, from, to);
      // A writer that read an older revision is refused.
      const asked = stale && revision > 1 ? revision : revision + 1;
      const won = asked === revision + 1;
      if (won) revision = asked;
      return write(asked, `w-${at}`, to === null ? null : won, from, to);
    });
  });

test('no history of a correct register is contradictory', () => {
  fc.assert(fc.property(histories, (operations) => contradictionIn(operations) === null));
});
