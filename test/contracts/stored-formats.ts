/**
 * Records of three generations in one store: one that has no extension, as all releases so far write it; one that a
 * later release extended in each way that is open to it; and one of a later format. During a deployment the roles
 * of this release meet all of them (lib/core/model/extension.ts).
 */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { NewerDataError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, orderId, schedulerId, stepName } from '#core/model/ids.ts';
import { deliveryOf } from '#roles/event-delivery.ts';
import { type Transitions, transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { claimed, house, newOrder, succeeded } from '../support/orders.ts';
import type { EditableStore } from './edited-store.ts';

const attributes = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
type Attributes = z.infer<typeof attributes>;

const fixtures = z
  .object({ first: attributes, extended: attributes, newer: attributes })
  .parse(JSON.parse(readFileSync('test/fixtures/records.json', 'utf8')));

const submittedAt = Date.UTC(2026, 0, 1);
const id = orderId('stored');
const done = (step: string): RecordEvent => {
  const of = { step: stepName(step), attempt: 1, agent: agentName('paint') };
  return { type: 'stepSucceeded', ...of, output: { litres: 5 } };
};

/** `open` returns a new empty store. */
export function storedFormatsContract(name: string, open: () => Promise<EditableStore>): void {
  describe(`records of several releases: ${name}`, () => {
    let under: EditableStore;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(async () => {
      await under.close();
    });

    const write = async (stored: Attributes): Promise<Transitions> => {
      const { order, record } = newOrder('stored', submittedAt, 'shop', 'po-7');
      await under.store.create(order, record);
      under = await under.rewritten(id, stored);
      const clock = { now: () => submittedAt + 5_000, after: systemClock.after };
      return transitions({
        store: under.store,
        channels: { nudges: { send: async () => {} }, requests: { send: async () => {} } },
        clock,
        ids: systemIds(clock, 'this-release'),
        random: systemRandom,
        log: under.log,
        registry: workflowRegistry([house]),
      });
    };
    const stored = async () => (await under.store.records([id])).get(id);

    test('this release writes what all releases so far wrote', async () => {
      const { record } = newOrder('stored', submittedAt, 'shop', 'po-7');
      const now = succeeded(claimed(record, submittedAt + 1_000), 'east', submittedAt + 2_000);
      expect(encodeRecord(now)).toEqual(fixtures.first);
    });

    test.each(['first', 'extended'] as const)(
      'the %s record is processed to its end',
      async (generation) => {
        const roles = await write(fixtures[generation]);
        const before = await stored();
        expect(before && encodeRecord(before)).toEqual(fixtures[generation]);
        for (const event of [done('west'), done('roof')]) {
          const [outcome] = await roles.apply([{ orderId: id, event: () => event }]);
          expect(outcome?.kind).toBe('committed');
        }
        const after = await stored();
        expect(after?.processState).toBe('Processed');
        const written = attributes.parse(after && encodeRecord(after));
        expect(Object.keys(written).sort()).toEqual(Object.keys(fixtures[generation]).sort());
      },
    );

    test('additions of a later release are kept through every transition', async () => {
      const roles = await write(fixtures.extended);
      await roles.apply(
        [done('west'), done('roof')].map((event) => ({ orderId: id, event: () => event })),
      );
      const after = await stored();
      const { Deadline, Flow, Steps, History } = attributes.parse(after && encodeRecord(after));
      expect({ Deadline, Flow }).toEqual({ Deadline: 1_767_229_200_000, Flow: 'shop/normal' });
      expect(JSON.parse(String(Steps))).toMatchObject([
        { 2: { 12: 2 }, 7: ['C', { litres: 3 }, 'endpoint-a'], 9: { domain: 'eu' } },
        { 2: { 12: 2 }, 7: ['C', { litres: 5 }], 9: { domain: 'us' } },
        { 2: { 12: 2 }, 7: ['C', { litres: 5 }], 9: { domain: 'eu' } },
      ]);
      expect(JSON.parse(String(History)).slice(0, 4)).toEqual(
        JSON.parse(String(fixtures.extended['History'])),
      );
    });

    test('a record of a later format is not changed, and its message is delivered again', async () => {
      const roles = await write(fixtures.newer);
      const claim = { type: 'claim', by: schedulerId('this-release') } as const;
      const [outcome] = await roles.apply([{ orderId: id, event: () => claim }]);
      expect(outcome).toMatchObject({ kind: 'failed', error: expect.any(NewerDataError) });
      expect(outcome && deliveryOf(outcome, under.log)).toEqual({ kind: 'retry' });
      await expect(stored()).rejects.toMatchObject({ code: 'record-newer' });
      expect(await under.attributes(id)).toMatchObject({ ...fixtures.newer });
    });

    test('a record of a later format hides no other order, and is logged', async () => {
      await write(fixtures.newer);
      const { order, record } = newOrder('other', submittedAt + 1);
      await under.store.create(order, record);
      const { items } = await under.store.list({ processState: null, limit: 10, cursor: null });
      expect(items.map((listed) => listed.orderId)).toEqual(['other']);
      expect(under.log.lines).toContainEqual({
        event: 'unreadable-order-left-out',
        fields: expect.objectContaining({ orderId: id, code: 'record-newer' }),
      });
    });
  });
}
