import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { sqsClient } from '#aws/clients.ts';
import { readLetters } from '#aws/dead-letters.ts';
import { parking } from '#aws/parking.ts';
import { letterKinds } from '#core/dead-letter.ts';
import { answeringServer } from '../support/answering-server.ts';
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
          async (kind) => [kind, { kind, dead: await server.queue(), sources: null }] as const,
        ),
      );
      const dead = new Map<string, string>(queues.map(([kind, own]) => [kind, own.dead]));
      const park = parking(server.client(), (arn) => dead.get(arn));
      for (const { body, reason, kind } of parked) await park(sqsRecord('1', body, kind), reason);
      const { letters } = await readLetters(server.client(), Object.fromEntries(queues));
      const told = ({ kind, body, reason }: { kind: string; body: string; reason: string }) =>
        JSON.stringify([kind, body, reason.slice(0, 250)]);
      expect(letters.map(told).toSorted()).toEqual(parked.map(told).toSorted());
      expect(letters.every(({ wasParked }) => wasParked)).toBe(true);
    }),
    { numRuns: 2 },
  );
});

/** What SQS takes of a message and of its attributes. */
const sendable = /^[\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]$/u;

const sentSchema = z.object({
  MessageAttributes: z.object({ Reason: z.object({ StringValue: z.string() }) }),
});

/** An SQS that says what it was sent: the other one does not look at attributes as AWS does. */
async function reasonsSent(reasons: readonly string[]): Promise<readonly string[]> {
  const sent: string[] = [];
  const { url: endpoint } = await answeringServer((response, { body }) => {
    const { MessageAttributes } = sentSchema.parse(JSON.parse(body));
    sent.push(MessageAttributes.Reason.StringValue);
    response
      .writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify({ MD5OfMessageBody: hash('md5', '{}') }));
  });
  const park = parking(sqsClient({ endpoint }), () => `${endpoint}/000000000000/dead`);
  for (const reason of reasons) await park(sqsRecord('1', '{}', 'q'), reason);
  return sent;
}

test('a reason is one that SQS takes, cut between characters, whatever a message had in it', async () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\u0001', '\ud800', '\uffff', '\u{1f600}'),
  );
  const random = fc.array(unit, { minLength: 1, maxLength: 300 }).map((all) => all.join(''));
  const reasons = [`${'x'.repeat(249)}\u{1f600}x`, ...fc.sample(random, { numRuns: 40, seed: 1 })];
  const sent = await reasonsSent(reasons);
  expect(sent[0]).toBe(`${'x'.repeat(249)}\u{1f600}`);
  for (const [at, reason] of reasons.entries()) {
    const units = Array.from(reason).slice(0, 250);
    expect(Array.from(sent[at] ?? '')).toEqual(
      units.map((unit) => (sendable.test(unit) ? unit : '\ufffd')),
    );
  }
});
