/** The documents of the API match its description, and the command line reads them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import {
  acceptedSchema,
  ledgerSchema,
  listSchema,
  orderSchema,
  problemSchema,
} from '#cli/api/response-schemas.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import * as described from '#http/schemas.ts';
import { listedView, orderView } from '#http/view.ts';
import { type Happening, happened, happenings } from '../support/happenings.ts';
import { house, newOrder } from '../support/orders.ts';
import { rubbish, spoiled } from '../support/spoiled.ts';

const now = Date.UTC(2026, 0, 1);
const { order, record: pending } = newOrder('one', now);
const registry = workflowRegistry([house]);

function lived(life: readonly Happening[]): ProcessRecord {
  let record: ProcessRecord = pending;
  for (const [at, happening] of life.entries()) {
    record = happened(record, happening, now + at, `w${at}`) ?? record;
  }
  return record;
}
const life = fc.array(fc.constantFrom(...happenings), { maxLength: 25 });
const shown = (record: ProcessRecord): unknown =>
  JSON.parse(JSON.stringify(orderView(record, order, registry)));

test('an order in any state matches the description, and the command line reads it', () => {
  fc.assert(
    fc.property(life.map(lived), (record) => {
      const document = shown(record);
      expect(described.orderSchema.parse(document)).toEqual(document);
      const { processState, revision, submittedAt, history } = orderSchema.parse(document);
      expect({ processState, revision, submittedAt }).toEqual({
        processState: record.processState,
        revision: record.revision,
        submittedAt: record.submittedAt,
      });
      expect(history.map(({ type }) => type)).toEqual(record.history.map(({ type }) => type));
      const page = JSON.parse(
        JSON.stringify({
          orders: [listedView(record)],
          cursor: null,
          asOf: '2026-01-01T00:00:00.000Z',
        }),
      );
      expect(described.listSchema.parse(page)).toEqual(page);
      const gateOf = ({ agent, gate }: { agent: string; gate: string }) => `${agent} ${gate}`;
      const holds = Object.values(described.orderSchema.parse(document).steps).flatMap(
        ({ agent, held }) => (held === null ? [] : [gateOf({ agent, ...held })]),
      );
      const { orders } = described.listSchema.parse(page);
      expect(orders.flatMap(({ held = [] }) => held.map(gateOf))).toEqual(holds);
      expect(listSchema.parse(page).orders).toHaveLength(1);
    }),
  );
});

describe('a document of unknown origin', () => {
  const eventful = lived(['claim', 'beat', 'succeed', 'fail', 'claim', 'expire', 'claim', 'fail']);
  const documents: readonly [string, ZodType, unknown][] = [
    ['an order', orderSchema, shown(eventful)],
    ['a list', listSchema, { orders: [listedView(eventful)], cursor: 'abc' }],
    ['an answer', acceptedSchema, { orderId: 'one', processState: 'Pending' }],
    ['a problem', problemSchema, { title: 'a', detail: 'b', code: 'c', errors: [] }],
    [
      'a ledger',
      ledgerSchema,
      {
        entries: [
          {
            ...{ service: 'payment', key: 'one/east', orderId: null, state: 'done' },
            ...{ calls: 1, effects: 1, at: new Date(now).toISOString() },
          },
        ],
      },
    ],
  ];

  test.each(documents)(
    '%s is read or refused, and emits no escape sequence',
    (_, schema, document) => {
      expect(schema.safeParse(document).success).toBe(true);
      fc.assert(
        fc.property(fc.oneof(spoiled(document), spoiled(document), rubbish), (text) => {
          let json: unknown;
          try {
            json = JSON.parse(text);
          } catch {
            return;
          }
          JSON.stringify(schema.safeParse(json).data, (key, value: unknown) => {
            expect(`${key}${typeof value === 'string' ? value : ''}`).not.toMatch(/\p{Cc}/u);
            return value;
          });
        }),
        { numRuns: 300 },
      );
    },
  );

  test('an invalid instant is refused', () => {
    const instant = fc.oneof(
      fc.stringMatching(
        /^[0-9]{4}-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9](:[0-6][0-9])?(\.[0-9]{1,12})?(Z|[+-][0-2][0-9]:[0-9]{2})$/,
      ),
      fc.date().map((date) => (Number.isNaN(date.getTime()) ? 'never' : date.toISOString())),
    );
    const sound = orderView(eventful, order, registry);
    fc.assert(
      fc.property(instant, (at) => {
        const { data } = orderSchema.safeParse({ ...sound, updatedAt: at });
        if (data !== undefined) expect(new Date(data.updatedAt).toISOString()).not.toBe('');
      }),
      { numRuns: 1_000 },
    );
  });
});
