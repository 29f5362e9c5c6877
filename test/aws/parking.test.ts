import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { letterQueues, readLetters } from '#aws/dead-letters.ts';
import { parking } from '#aws/parking.ts';
import { letterKinds } from '#core/dead-letter.ts';
import { rubbish } from '../support/spoiled.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server?.close());

/** What a body may be at SQS, less what this server does not take of it: nothing beyond U+FFFF. */
const isBody = (text: string) => /^[\t\n\r -\uD7FF\uE000-\uFFFD]+$/.test(text);

test('whatever was parked is read with its text as it came and the beginning of its reason', async () => {
  const letter = fc.record({
    body: rubbish.filter(isBody),
    reason: fc.string({ minLength: 1, maxLength: 400 }),
    kind: fc.constantFrom(...letterKinds),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(letter, { minLength: 20, maxLength: 30 }), async (parked) => {
      const queues = await Promise.all(
        letterKinds.map(
          async (kind) => [kind, { kind, dead: await server.queue(), source: null }] as const,
        ),
      );
      const park = parking(
        server.client(),
        Object.fromEntries(queues.map(([kind, { dead }]) => [kind, dead])),
      );
      for (const { body, reason, kind } of parked) await park(sqsRecord('1', body, kind), reason);
      const output = letterQueues(JSON.stringify(Object.fromEntries(queues)));
      const { letters } = await readLetters(server.client(), output);
      const told = ({ kind, body, reason }: { kind: string; body: string; reason: string }) =>
        JSON.stringify([kind, body, reason.slice(0, 250)]);
      expect(letters.map(told).toSorted()).toEqual(parked.map(told).toSorted());
      expect(letters.every(({ wasParked }) => wasParked)).toBe(true);
    }),
    { numRuns: 2 },
  );
});
