/** Debounce: which orders a later one replaces, and when an order begins that waits for later ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { dueAt } from '#core/decide/due.ts';
import { debounced, mayBeReplaced, replacedBy } from '#core/decide/singleton/debounce.ts';
import { firstCommands, submitted } from '#core/decide/submit.ts';
import type { Submit } from '#core/model/event.ts';
import { lineName, orderId, writeId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { OrderTurn, ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import { claimed, details, house, next, succeeded } from '../support/orders.ts';

const start = Date.UTC(2026, 0, 1);
const line = lineName('a'.repeat(40));
const two = orderId('two');

function order(turn: OrderTurn | null = { line, since: start }, notBefore?: number) {
  const of = { orderId: orderId('one'), priority: 'high', tenant: 'acme' } as const;
  const event: Submit = {
    ...{ type: 'submit', by: 'ada', ...of, replyTo: null, correlationId: null },
    ...(notBefore !== undefined && { notBefore }),
  };
  return submitted(event, house, start, writeId('w'), turn ?? undefined);
}

const cancelled = (record: ProcessRecord) =>
  next(record, { type: 'cancel', by: 'otto' }, start + 1);
const heldForTurn = (record: ProcessRecord): ProcessRecord => {
  const hold = { gate: 'turn', until: start + 60_000 } as const;
  return {
    ...record,
    isHeld: true,
    steps: record.steps.map((step) => ({
      ...step,
      progress: { state: 'Held', ...hold, since: start, before: { state: 'NotStarted' } },
    })),
  };
};
const stopped = (record: ProcessRecord): ProcessRecord => ({
  ...record,
  ...{ processState: 'Error', lockedBy: null, completeBy: null },
  fault: { code: 'workflow-unknown', message: 'No.', effect: 'none', step: null, action: null },
});

describe('an order is replaced', () => {
  it.each<[string, ProcessRecord]>([
    ['that was not claimed', order().record],
    ['that waits for its turn, or for its agent', heldForTurn(order().record)],
    ['that stopped before its first call', stopped(order().record)],
  ])('%s', (_, record) => {
    expect(mayBeReplaced(record)).toBe(true);
    expect(replacedBy(record, two, start + 5)).toMatchObject({
      record: {
        ...{ processState: 'Pending', direction: 'undo', notBefore: start + 5 },
        fault: { code: 'cancelled', message: 'Cancelled by order two.' },
        turn: { line, since: start },
        revision: record.revision + 1,
      },
      commands: [{ kind: 'nudge', nudge: { orderId: 'one', priority: 'high', tenant: 'acme' } }],
    });
  });

  it.each<[string, ProcessRecord]>([
    ['that was submitted under another rule', order({ line, replaces: true, behind: two }).record],
    ['without a singleton key', order(null).record],
    ['that has begun', claimed(order().record, start)],
    ['that is being undone', cancelled(order().record)],
    ['that has ended', { ...order().record, processState: 'Processed', completeBy: null }],
    ['that was undone', { ...order().record, processState: 'Undone', completeBy: null }],
  ])('but not one %s', (_, record) => {
    expect(mayBeReplaced(record)).toBe(false);
    expect(replacedBy(record, two, start + 5)).toBeNull();
  });

  it('and makes no call then', () => {
    const replaced = replacedBy(order().record, two, start + 5)?.record;
    if (replaced === undefined) throw new Error('it is not replaced');
    const undone = claimed(replaced, start + 6);
    expect(undone).toMatchObject({ processState: 'Undone' });
    expect(undone.steps.every(({ attempt }) => attempt === 0)).toBe(true);
  });

  it('but not after a first call that was interrupted', () => {
    const begun = claimed(order().record, start);
    const event = { type: 'interrupted', reason: 'restart', notBefore: start } as const;
    expect(mayBeReplaced(next(begun, event, start + 1))).toBe(false);
    expect(mayBeReplaced(succeeded(begun, 'east', start + 1))).toBe(false);
  });
});

describe('an order begins', () => {
  const times = { quietMs: 1_000, atMostMs: 2_500 };

  it('after the quiet, counted from its submission', () => {
    expect(debounced(times, null, start)).toEqual({ since: start, notBefore: start + 1_000 });
    expect(debounced(times, order().record, start + 900)).toEqual({
      ...{ since: start, notBefore: start + 1_900 },
    });
  });

  it('at the latest so long after the first of those that replaced each other', () => {
    expect(debounced(times, order().record, start + 1_600).notBefore).toBe(start + 2_500);
  });

  it('not later because of a clock that is ahead', () => {
    const ahead = order({ line, since: start + 3_600_000 }).record;
    expect(debounced(times, ahead, start)).toEqual({ since: start, notBefore: start + 1_000 });
  });

  it('never later than the limits of its workflow, whatever was replaced', () => {
    const instant = fc.integer({ min: start - 10_000_000, max: start + 10_000_000 });
    fc.assert(
      fc.property(instant, instant, fc.nat(10_000), fc.nat(100_000), (since, at, quiet, more) => {
        const own = { quietMs: quiet, atMostMs: quiet + more };
        const { since: kept, notBefore } = debounced(own, order({ line, since }).record, at);
        expect(kept).toBe(Math.min(since, at));
        expect(notBefore).toBeLessThanOrEqual(at + quiet);
        expect(notBefore).toBeLessThanOrEqual(kept + quiet + more);
        expect([at + quiet, kept + quiet + more]).toContain(notBefore);
      }),
    );
  });
});

describe('an order that may not be claimed at once', () => {
  it('is due, and nudged, at its instant', () => {
    const { record, commands } = order({ line, since: start }, start + 5_000);
    expect(record.notBefore).toBe(start + 5_000);
    expect(dueAt(record)).toBe(start + 5_000);
    const nudge = { orderId: 'one', priority: 'high', tenant: 'acme', at: start + 5_000 };
    expect(commands).toEqual([{ kind: 'nudge', nudge }]);
    expect(firstCommands(record, start + 5_000)).toEqual([
      { kind: 'nudge', nudge: { orderId: 'one', priority: 'high', tenant: 'acme' } },
    ]);
  });

  it('is left to a sweep that looks ahead, where no message can be delayed for so long', () => {
    const far = start + limits.messageDelayMaxMs + 1;
    expect(order({ line, since: start }, far).commands).toEqual([]);
    expect(firstCommands(order({ line }, far).record, start + 1)).toHaveLength(1);
  });

  it('is one that may be, where the instant is past', () => {
    expect(order({ line, since: start }, start - 1)).toEqual(order({ line, since: start }));
  });

  it('is stored with its instant, and replays (R15)', () => {
    const { record } = order({ line, behind: two, since: start - 7 }, start + 5_000);
    const known = { definition: house, details };
    const ended = next(record, { type: 'cancel', by: 'order two' }, start + 9, 'w');
    for (const stored of [record, ended]) {
      expect(decodeRecord(JSON.parse(JSON.stringify(encodeRecord(stored))))).toEqual(stored);
      expect(replay(stored, known).at(-1)).toEqual(stored);
    }
    expect(encodeRecord(record)).toMatchObject({
      ...{ Format: 4, Line: line, Behind: 'two', Since: start - 7 },
      History: '[["s",0,"ada",5000]]',
    });
  });

  it('is stored as before, where later orders replace none', () => {
    expect(encodeRecord(order({ line }).record)).toMatchObject({
      ...{ Format: 4, Line: line, History: '[["s",0,"ada"]]' },
    });
    expect(encodeRecord(order({ line }).record)).not.toHaveProperty('Since');
  });
});
