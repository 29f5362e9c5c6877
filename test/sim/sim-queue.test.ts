import { expect, test } from 'vitest';
import type { Breach } from '#checkers/violation.ts';
import type { FaultRates } from '#sim/faults/fault-rates.ts';
import { type SimMessage, type SimQueue, simQueue } from '#sim/ports/sim-queue.ts';
import { queueContract, receivesMax } from '../contracts/queue.ts';
import { surroundings } from './support.ts';

const visibilityMs = 30_000;
const soonMs = 1_000;

function opened(rates: FaultRates = {}) {
  const around = surroundings(rates);
  const violations: string[] = [];
  const breach: Breach = (rule, message) => violations.push(`${rule}: ${message}`);
  const queue = simQueue({ name: 'q', around, visibilityMs, receivesMax, breach, onVisible() {} });
  const pass = (ms: number) => around.timeline.runUntil(around.timeline.now() + ms);
  return { queue, pass, violations, faults: around.faults };
}

test('received messages can be hidden for longer from an instant on', async () => {
  const { queue, pass } = opened();
  queue.hideFor(3 * visibilityMs);
  queue.put(['x']);
  await pass(soonMs);
  expect(queue.receive()).toHaveLength(1);
  await pass(2 * visibilityMs);
  expect(queue.receive()).toEqual([]);
  await pass(visibilityMs + soonMs);
  expect(queue.receive()).toHaveLength(1);
});

test('messages that multiply are a violation, said once, and no more are taken', () => {
  const { queue, violations } = opened();
  queue.put(Array.from({ length: 5_000 }, () => 'x'));
  expect(violations).toEqual([]);
  queue.put(['x', 'x']);
  expect(violations).toEqual(['R19: q has 5000 messages: they multiply']);
  expect(queue.size()).toBe(5_000);
});

queueContract('the simulator’s', async () => {
  const { queue, pass } = opened();
  const given = new Map<object, SimMessage>();
  return {
    async send(bodies) {
      queue.put(bodies);
      await pass(soonMs);
    },
    async receive() {
      return queue.receive().map((message) => {
        const { messageId: id, body, receives } = message;
        const received = { id, body, receives };
        given.set(received, message);
        return received;
      });
    },
    async acknowledge(messages) {
      queue.acknowledge(messages.flatMap((message) => given.get(message) ?? []));
    },
    async visibilityTimeoutPasses() {
      await pass(visibilityMs + soonMs);
    },
    async deadLetters() {
      return queue.deadLetters.map(({ body }) => body);
    },
  };
});

const bodies = Array.from({ length: 200 }, (_, at) => `body ${at}`);

/** All messages, acknowledged as they arrive. */
async function drained(queue: SimQueue, pass: (ms: number) => Promise<void>): Promise<string[]> {
  const found: string[] = [];
  for (let turn = 0; turn < 300; turn += 1) {
    await pass(soonMs);
    const messages = queue.receive();
    found.push(...messages.map(({ body }) => body));
    queue.acknowledge(messages);
  }
  return found;
}

test('duplicates, delays and early deliveries at the given rates lose nothing', async () => {
  const rates = { 'message-doubled': 0.3, 'message-late': 0.3, 'seen-too-soon': 0.3 };
  const { queue, pass, faults } = opened(rates);
  queue.put(bodies);
  const found = await drained(queue, pass);
  expect(new Set(found)).toEqual(new Set(bodies));
  expect(found.length).toBe(bodies.length + (faults.hits.get('message-doubled') ?? 0));
  expect(found).not.toEqual(bodies);
});

test('a delayed message is visible after its delay, and is lost or late at rates of its own', async () => {
  const { queue, pass } = opened({ 'message-lost': 1 });
  queue.put(['later'], 60);
  await pass(60_000);
  expect(queue.receive()).toEqual([]);
  await pass(soonMs);
  expect(queue.receive().map(({ body }) => body)).toEqual(['later']);
  const losing = opened({ 'delayed-message-lost': 1 });
  losing.queue.put(['later'], 60);
  losing.queue.put(['now']);
  expect(losing.queue.size()).toBe(1);
});

test('loses as many as it counts, and no message that must arrive', async () => {
  const { queue, pass, faults } = opened({ 'message-lost': 0.5 });
  queue.put(bodies);
  queue.putSafely(['surely']);
  const found = await drained(queue, pass);
  expect(found.length).toBe(bodies.length + 1 - (faults.hits.get('message-lost') ?? 0));
  expect(found).toContain('surely');
});
