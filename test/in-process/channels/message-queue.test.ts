/** The order in which a channel delivers, when several classes and tenants send. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FlowLabel } from '#core/flow/fair-queue.ts';
import { priorities } from '#core/model/record.ts';
import { fairMessageQueue, fifoQueue } from '#in-process/channels/message-queue.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';

interface Message extends FlowLabel {
  readonly number: number;
}

const flowOf = (message: Message) => message;
const lineOf = (weights = tenantWeights()) => fairMessageQueue<Message>({ flowOf, weights });

function filled(flows: readonly FlowLabel[], line = lineOf()) {
  for (const [number, flow] of flows.entries()) line.add({ ...flow, number });
  return line;
}
const numbers = (messages: readonly Message[]) => messages.map(({ number }) => number);

test('a single flow is delivered as it came', () => {
  const label = { priority: 'low', tenant: 'a' } as const;
  const line = filled([label, label, label, label, label]);
  expect(numbers(line.take(2))).toEqual([0, 1]);
  expect(numbers(line.take(9))).toEqual([2, 3, 4]);
  expect(line.isEmpty()).toBe(true);
});

test('messages that waited alone are shared from the first message of another flow', () => {
  const line = filled(
    Array.from({ length: 100 }, () => ({ priority: 'low', tenant: 'a' }) as const),
  );
  line.take(10);
  filled([{ priority: 'high' }, { priority: 'low', tenant: 'b' }], line);
  const next = line.take(5);
  expect(next.map(({ priority, tenant }) => [priority, tenant])).toEqual([
    ['high', undefined],
    ['low', 'a'],
    ['low', 'b'],
    ['low', 'a'],
    ['low', 'a'],
  ]);
  expect(numbers(line.take(200))).toEqual(Array.from({ length: 87 }, (_, at) => at + 13));
});

test('a message without the field and one with null are of the same flow', () => {
  const line = filled([
    { priority: 'low' },
    { priority: 'low', tenant: null },
    { priority: 'low' },
  ]);
  expect(numbers(line.take(3))).toEqual([0, 1, 2]);
});

test('a weight applies to what waits, in every line that has the weights', () => {
  const weights = tenantWeights(new Map([['a', 2]]));
  const flows = Array.from({ length: 600 }, (_, at) => ({
    priority: 'normal' as const,
    tenant: at % 2 === 0 ? 'a' : 'b',
  }));
  const lines = [filled(flows, lineOf(weights)), filled(flows, lineOf(weights))];
  const ofA = (count: number) =>
    lines.map((line) => line.take(count).filter(({ tenant }) => tenant === 'a').length);
  expect(ofA(60)).toEqual([40, 40]);
  weights.set('a', 0.5);
  expect(ofA(60)).toEqual([20, 20]);
});

test('each message is delivered once, in the order of its flow, however a line is used', () => {
  const flow = fc.record({
    priority: fc.constantFrom(...priorities),
    tenant: fc.constantFrom('*', null),
  });
  const step = fc.oneof(flow, fc.integer({ min: 1, max: 4 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), fc.boolean(), (steps, isFair) => {
      const line = isFair ? lineOf() : fifoQueue<Message>();
      const delivered: Message[] = [];
      let added = 0;
      for (const each of steps) {
        if (typeof each === 'number') {
          const batch = line.take(each);
          expect(batch.length).toBe(Math.min(each, added - delivered.length));
          delivered.push(...batch);
        } else {
          line.add({ ...each, number: added });
          added += 1;
        }
        expect(line.isEmpty()).toBe(added === delivered.length);
      }
      delivered.push(...line.take(added));
      const all = Array.from({ length: added }, (_, at) => at);
      expect(numbers(delivered).toSorted((one, other) => one - other)).toEqual(all);
      for (const own of Map.groupBy(delivered, (one) => `${one.priority} ${one.tenant}`).values()) {
        expect(numbers(own)).toEqual(numbers(own).toSorted((one, other) => one - other));
      }
    }),
  );
});

test.each([0, 0.009, 100.1, Number.NaN])(
  'a weight of %d is refused, and changes nothing',
  (weight) => {
    const weights = tenantWeights(new Map([['a', 3]]));
    const code = expect.objectContaining({ code: 'tenant-weight-range' });
    expect(() => weights.set('a', weight)).toThrow(code);
    expect(() => tenantWeights(new Map([['a', weight]]))).toThrow(code);
    expect([weights.of('a'), weights.of('b'), weights.of(null)]).toEqual([3, 1, 1]);
  },
);

test('a message that is in the line already moves to its new flow, and is delivered once', () => {
  const keyOf = ({ number }: Message) => String(number);
  const line = fairMessageQueue<Message>({ flowOf, keyOf, weights: tenantWeights() });
  filled(
    Array.from({ length: 100 }, () => ({ priority: 'low' }) as const),
    line,
  );
  line.add({ number: 90, priority: 'high' });
  line.add({ number: 7, priority: 'low' });
  const delivered = line.take(200);
  expect(delivered.slice(0, 2)).toEqual([
    { number: 90, priority: 'high' },
    { number: 0, priority: 'low' },
  ]);
  expect(numbers(delivered).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, at) => at),
  );
});
