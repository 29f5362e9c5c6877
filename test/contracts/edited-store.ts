/** Records that were edited by hand: a store skips and logs them, and they hide no others. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CorruptDataError } from '#core/model/errors.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';
import type { ProcessState } from '#core/model/record.ts';
import type { TestLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { allDue, allListed } from './pages.ts';
import type { StoreUnderTest } from './state-store.ts';

type Attributes = Readonly<Record<string, string | number | null>>;

export interface EditableStore extends StoreUnderTest {
  readonly log: TestLog;
  /** The same data after a manual change of attributes of a stored record. */
  edited(orderId: OrderId, changes: Readonly<Record<string, string>>): Promise<EditableStore>;
  /** The same data after another release wrote an order's record with these attributes. */
  rewritten(orderId: OrderId, attributes: Attributes): Promise<EditableStore>;
  /** The attributes of a stored record, without validation. */
  attributes(orderId: OrderId): Promise<Attributes>;
}

const now = Date.UTC(2026, 0, 1);

/** `open` returns a new empty store. */
export function editedStoreContract(name: string, open: () => Promise<EditableStore>): void {
  describe(`an order that no version of Reeve wrote: ${name}`, () => {
    let under: EditableStore;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(async () => {
      await under.close();
    });

    const far = now + 365 * 24 * 3_600_000;
    const edit = async (changes: Readonly<Record<string, string>>) => {
      for (const [at, id] of ['one', 'two', 'three', 'four'].entries()) {
        const { order, record } = newOrder(id, now + at);
        await under.store.create(order, record);
      }
      under = await under.edited(orderId('three'), changes);
    };
    const list = (processState: ProcessState | null, limit: number) =>
      allListed(under.store, { processState, limit });
    const due = (limit: number) => allDue(under.store, { from: 0, to: far, limit });
    const told = (id: string, from: 'due' | 'list') =>
      expect(under.log.lines).toContainEqual({
        event: 'unreadable-order-left-out',
        fields: {
          orderId: id,
          from,
          code: expect.stringMatching(/^[a-z-]+$/),
          reason: expect.stringMatching(/by hand\.$/),
        },
      });

    test.each([1, 2, 50])('is skipped by a listing with pages of %i, and logged', async (limit) => {
      await edit({ Steps: '?' });
      expect(await list(null, limit)).toEqual(['four', 'two', 'one']);
      expect(await list('Pending', limit)).toEqual(['four', 'two', 'one']);
      told('three', 'list');
    });

    test('is an error when read by its id, and stays due, so that the Supervisor reports it', async () => {
      await edit({ Steps: '?' });
      const id = orderId('three');
      await expect(under.store.records([id])).rejects.toBeInstanceOf(CorruptDataError);
      expect(await due(100)).toContain(id);
    });

    test.each([1, 2, 50])(
      'with an invalid id hides no others in pages of %i, and is logged',
      async (limit) => {
        await edit({ OrderID: 'a copy' });
        expect((await due(limit)).toSorted()).toEqual(['four', 'one', 'two']);
        told('a copy', 'due');
        expect(await list(null, limit)).toEqual(['four', 'two', 'one']);
      },
    );
  });
}
