/**
 * The guarantees of a standard SQS queue: no order, possible duplicates, and late acknowledgements that may
 * or may not count. A simulated queue must pass the same contract, so that simulations are valid for SQS.
 *
 * One rare case is excluded: SQS may deliver a deleted message again when one of its servers was unavailable.
 * No server here does that, and every reader must accept duplicates anyway.
 */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly receives: number;
}

export interface QueueUnderTest {
  send(bodies: readonly string[]): Promise<void>;
  /** Up to ten visible messages; each is then hidden for the visibility timeout. */
  receive(): Promise<readonly Received[]>;
  /** Deletes them. */
  acknowledge(messages: readonly Received[]): Promise<void>;
  /** Ends the visibility timeout of all hidden messages. */
  visibilityTimeoutPasses(): Promise<void>;
  /** Bodies in the dead-letter queue, to which messages move after more than `receivesMax` receives. */
  deadLetters(): Promise<readonly string[]>;
}

/** Receives after which the queue under test moves a message to its dead-letter queue. */
export const receivesMax = 3;

/** Messages of one receive (SQS). */
const receiveMax = 10;
/** Receives that take all that any test here sends, one message at a time. */
const pagesMax = 500;
const bodiesOf = (messages: readonly Received[]) => messages.map(({ body }) => body).toSorted();

/** All that is visible: an empty answer says that nothing is, as a long poll's does, which asks all servers. */
async function everything(queue: QueueUnderTest): Promise<Received[]> {
  const all: Received[] = [];
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await queue.receive();
    expect(page.length).toBeLessThanOrEqual(receiveMax);
    if (page.length === 0) return all;
    all.push(...page);
  }
  throw new Error(`still returns messages after ${pagesMax} receives: it hides none of them`);
}

/** `open` returns a new empty queue without dead letters. */
export function queueContract(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`the queue contract: ${name}`, () => {
    let queue: QueueUnderTest;
    beforeEach(async () => {
      queue = await open();
    });

    /** What is received once every timeout has passed. */
    const again = async () => {
      await queue.visibilityTimeoutPasses();
      return everything(queue);
    };

    test('returns nothing when nothing was sent', async () => {
      expect(await queue.receive()).toEqual([]);
      await queue.visibilityTimeoutPasses();
      expect(await queue.receive()).toEqual([]);
      expect(await queue.deadLetters()).toEqual([]);
    });

    test('returns every sent message as a first receive, at most ten at a time', async () => {
      const bodies = Array.from({ length: 23 }, (_, at) => `message ${at}`);
      await queue.send(bodies);
      const received = await everything(queue);
      expect(bodiesOf(received)).toEqual(bodies.toSorted());
      expect(new Set(received.map(({ id }) => id)).size).toBe(bodies.length);
      for (const { receives } of received) expect(receives).toBe(1);
    });

    test('keeps messages with equal texts separate', async () => {
      await queue.send(['same', 'same']);
      const received = await everything(queue);
      expect(bodiesOf(received)).toEqual(['same', 'same']);
      await queue.acknowledge(received.slice(0, 1));
      expect(bodiesOf(await again())).toEqual(['same']);
    });

    test.each(['{"a":"ü 中 \\u0001 <&>"}', ' two\nlines\t', 'x'.repeat(100_000)])(
      'changes no text: %#',
      async (body) => {
        await queue.send([body]);
        expect(bodiesOf(await queue.receive())).toEqual([body]);
      },
    );

    test('hides what was received until its timeout passes, then counts the receive', async () => {
      await queue.send(['one']);
      const [first] = await queue.receive();
      expect(await queue.receive()).toEqual([]);
      expect(await again()).toEqual([{ id: first?.id, body: 'one', receives: 2 }]);
      expect(await queue.receive()).toEqual([]);
    });

    test('returns new messages while another message is hidden', async () => {
      await queue.send(['hidden']);
      await queue.receive();
      await queue.send(['later']);
      expect(bodiesOf(await everything(queue))).toEqual(['later']);
    });

    describe('an acknowledged message', () => {
      test('never returns, and is not a dead letter', async () => {
        await queue.send(['one']);
        await queue.acknowledge(await queue.receive());
        for (let round = 0; round <= receivesMax; round += 1) expect(await again()).toEqual([]);
        expect(await queue.deadLetters()).toEqual([]);
      });

      test('of a batch leaves the others, which return', async () => {
        await queue.send(['a', 'b', 'c', 'd']);
        const batch = await everything(queue);
        await queue.acknowledge(batch.filter(({ body }) => body === 'b' || body === 'd'));
        expect(await queue.receive()).toEqual([]);
        expect(bodiesOf(await again())).toEqual(['a', 'c']);
      });

      test('may be acknowledged again, at once or later, without harm to another', async () => {
        await queue.send(['one', 'other']);
        const one = (await everything(queue)).filter(({ body }) => body === 'one');
        await queue.acknowledge([...one, ...one]);
        await queue.acknowledge(one);
        expect(bodiesOf(await again())).toEqual(['other']);
        await queue.acknowledge(one);
        expect(bodiesOf(await again())).toEqual(['other']);
      });

      test('none at all is no message', async () => {
        await queue.send(['one']);
        await queue.receive();
        await queue.acknowledge([]);
        expect(bodiesOf(await again())).toEqual(['one']);
      });

      // SQS, DeleteMessage: with an old receipt "the request will succeed, but the message might not be
      // deleted". Only two facts are certain: the call succeeds, and the newest receipt deletes the message.
      test('may come back when a later delivery was under way, until that one is acknowledged', async () => {
        await queue.send(['one', 'other']);
        const earlier = (await everything(queue)).filter(({ body }) => body === 'one');
        const later = (await again()).filter(({ body }) => body === 'one');
        expect(later).toMatchObject([{ id: earlier[0]?.id, receives: 2 }]);
        await queue.acknowledge(earlier);
        await queue.acknowledge(later);
        expect(bodiesOf(await again())).toEqual(['other']);
      });
    });

    describe('a message received too often', () => {
      /** Receives all messages until they are dead letters. */
      const giveUp = async () => {
        for (let receives = 1; receives <= receivesMax; receives += 1) {
          for (const message of await everything(queue)) expect(message.receives).toBe(receives);
          expect(await queue.deadLetters()).toEqual([]);
          await queue.visibilityTimeoutPasses();
        }
        expect(await everything(queue)).toEqual([]);
      };

      test('is a dead letter with the same text, and never returns', async () => {
        const bodies = Array.from({ length: 12 }, (_, at) => `{"poison":${at}}`);
        await queue.send(bodies);
        await giveUp();
        expect((await queue.deadLetters()).toSorted()).toEqual(bodies.toSorted());
        expect(await again()).toEqual([]);
        expect((await queue.deadLetters()).toSorted()).toEqual(bodies.toSorted());
      });

      test('delays no other message', async () => {
        await queue.send(['poison']);
        await giveUp();
        await queue.send(['sound']);
        expect(await everything(queue)).toMatchObject([{ body: 'sound', receives: 1 }]);
        expect(await queue.deadLetters()).toEqual(['poison']);
      });

      test('is not a dead letter when its last receive is acknowledged', async () => {
        await queue.send(['one']);
        let last: readonly Received[] = [];
        for (let receives = 1; receives <= receivesMax; receives += 1) last = await again();
        expect(last).toMatchObject([{ receives: receivesMax }]);
        await queue.acknowledge(last);
        expect(await again()).toEqual([]);
        expect(await queue.deadLetters()).toEqual([]);
      });
    });

    test('loses no message and never returns an acknowledged one, for any sequence of operations', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(queueCall, { minLength: 1, maxLength: 40 }), async (calls) => {
          await account(await open(), calls);
        }),
        { numRuns: 100 },
      );
    }, 600_000);
  });
}

const plain = { noNullPrototype: true };
/** Weighted so that messages come to be received too often. */
const queueCall = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record(
      { call: fc.constant('send' as const), count: fc.integer({ min: 1, max: 12 }) },
      plain,
    ),
  },
  { weight: 3, arbitrary: fc.record({ call: fc.constant('receive' as const) }, plain) },
  {
    weight: 1,
    // Of all deliveries so far, the latest first: so stale and repeated ones come, and shrink away.
    arbitrary: fc.record(
      {
        call: fc.constant('acknowledge' as const),
        deliveries: fc.array(fc.nat({ max: 15 }), { minLength: 1, maxLength: 6 }),
      },
      plain,
    ),
  },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('timeout' as const) }, plain) },
);
type QueueCall = typeof queueCall extends fc.Arbitrary<infer Call> ? Call : never;

/**
 * Keeps the account of every message: at the end each must be acknowledged, to be received, or dead, and
 * only one of them. A message may come again while it is hidden, as one of SQS may.
 */
async function account(queue: QueueUnderTest, calls: readonly QueueCall[]): Promise<void> {
  const sent: string[] = [];
  const deliveries: Received[] = [];
  const receivesOf = new Map<string, number>();
  /** Deliveries whose timeout has not passed: an acknowledgement counts for certain. */
  let current = new Map<string, Received>();
  /** For certain, and at which receive. */
  const acknowledged = new Map<string, number>();
  /** Acknowledged too late, which may count or not. */
  const inDoubt = new Set<string>();

  const note = (messages: readonly Received[]) => {
    for (const message of messages) {
      const { id, body, receives } = message;
      expect(sent).toContain(body);
      expect(acknowledged.has(body)).toBe(false);
      // Larger, not by one: a delivery that never arrived counts as well.
      expect(receives).toBeGreaterThan(receivesOf.get(id) ?? 0);
      expect(receives).toBeLessThanOrEqual(receivesMax);
      receivesOf.set(id, receives);
      current.set(id, message);
      deliveries.unshift(message);
    }
  };

  for (const step of calls) {
    switch (step.call) {
      case 'send': {
        const bodies = Array.from({ length: step.count }, (_, at) => `m${sent.length + at}`);
        sent.push(...bodies);
        await queue.send(bodies);
        break;
      }
      case 'receive':
        note(await queue.receive());
        break;
      case 'acknowledge': {
        const chosen = step.deliveries.flatMap((at) => deliveries[at] ?? []);
        await queue.acknowledge(chosen);
        for (const message of chosen) {
          const { id, body, receives } = message;
          if (current.get(id) === message) acknowledged.set(body, receives);
          else inDoubt.add(body);
        }
        break;
      }
      case 'timeout':
        await queue.visibilityTimeoutPasses();
        current = new Map();
    }
  }

  const deadBefore = await queue.deadLetters();
  await queue.visibilityTimeoutPasses();
  const receivable = await everything(queue);
  note(receivable);
  const dead = await queue.deadLetters();
  expect(dead.toSorted()).toEqual([...new Set(dead)].toSorted());
  expect(receivable.filter(({ body }) => deadBefore.includes(body))).toEqual([]);
  // The last receive of a message may be acknowledged when a copy of it is a dead letter already.
  expect(dead.filter((body) => (acknowledged.get(body) ?? receivesMax) < receivesMax)).toEqual([]);
  const found = new Set([...bodiesOf(receivable), ...dead, ...acknowledged.keys(), ...inDoubt]);
  expect(sent.filter((body) => !found.has(body))).toEqual([]);
}
