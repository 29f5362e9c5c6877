/** Corrupt messages: the codecs distinguish them from valid ones (R19), and never crash. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import type { Decoded, MessageCodec } from '#core/codec/messages/message-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import { rubbish, spoiled, wholeText } from '../support/spoiled.ts';

const order = orderId('o-1');
const step = stepName('east');
const at = Date.UTC(2026, 0, 1);
const payload = { colour: 'blue', sizes: [1, 2.5, { deep: null }] };
const fault = { code: 'refused', message: 'No.', effect: 'none' } as const;

const nudge = nudgeCodec.encode({ orderId: order, priority: 'high' });
const request = requestCodec.encode({
  orderId: order,
  workflow: workflowName('house'),
  step,
  agent: agentName('paint'),
  attempt: 2,
  action: 'undo',
  idempotencyKey: idempotencyKey(order, step, 'undo', 1),
  performKey: idempotencyKey(order, step, 'perform', 1),
  completeBy: at,
  completeWithinMs: 5_000,
  endBy: at,
  input: payload,
  output: payload,
  priority: 'low',
  tenant: 'acme',
});
const reply = { orderId: order, step, attempt: 1, action: 'perform' } as const;
const succeeded = replyCodec.encode({ ...reply, result: { kind: 'succeeded', output: payload } });
const failed = replyCodec.encode({ ...reply, result: { kind: 'failed', fault } });
const beat = replyCodec.encode({ ...reply, result: { kind: 'heartbeat' } });
const submission = submissionCodec.encode({
  workflow: 'house',
  details: payload,
  priority: 'normal',
  tenant: 'acme',
  replyTo: 'shop',
  correlationId: 'po-7',
  key: 'k-1',
});
const status = statusCodec.encode({
  orderId: order,
  workflow: workflowName('house'),
  workflowVersion: 1,
  sequence: 5,
  previousState: 'Processing',
  processState: 'Error',
  direction: 'forward',
  fault: { ...fault, step, action: 'perform' },
  priority: 'normal',
  tenant: null,
  replyTo: 'shop',
  tried: { agent: agentName('paint'), attempts: 4, coolDowns: 1, since: at },
  correlationId: 'po-7',
  at,
});

/** Arbitrary JSON in a message. */
function payloads(message: unknown): unknown[] {
  if (typeof message !== 'object' || message === null) return [];
  return Object.entries(message).flatMap(([key, value]) => {
    if (['details', 'input', 'output'].includes(key)) return [value];
    return key === 'result' ? payloads(value) : [];
  });
}

/** Malformed with a reason, or a message that another encoding does not change. */
function judged<Message>(codec: MessageCodec<Message>, text: string): Decoded<Message>['kind'] {
  const decoded = codec.decode(text);
  if (decoded.kind !== 'message') {
    expect(decoded.reason).not.toBe('');
    return decoded.kind;
  }
  const encoded = codec.encode(decoded.message);
  const again = codec.decode(encoded);
  expect(again.kind === 'message' ? codec.encode(again.message) : again.reason).toBe(encoded);
  // As texts: JSON itself makes no difference between 0 and -0.
  expect(wholeText(payloads(JSON.parse(encoded)))).toBe(wholeText(payloads(JSON.parse(text))));
  return decoded.kind;
}

function fuzzed<Message>(name: string, codec: MessageCodec<Message>, ...sound: readonly string[]) {
  describe(name, () => {
    test.each(sound)('is read: %s', (text) => {
      expect(judged(codec, text)).toBe('message');
    });

    test('is not decoded from random text', () => {
      fc.assert(
        fc.property(rubbish, (text) => {
          expect(judged(codec, text)).toBe('malformed');
        }),
      );
    });

    test('with one corrupt place is malformed, or unchanged by another encoding', () => {
      const some = fc.oneof(...sound.map((text) => spoiled(JSON.parse(text))));
      fc.assert(
        fc.property(some, (text) => void judged(codec, text)),
        { numRuns: 500 },
      );
    });
  });
}

fuzzed('a nudge', nudgeCodec, nudge);
fuzzed('a request', requestCodec, request);
fuzzed('a reply', replyCodec, succeeded, failed, beat);
fuzzed('a submission', submissionCodec, submission);
fuzzed('a status message', statusCodec, status);
