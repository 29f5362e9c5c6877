import fc from 'fast-check';
import { expect, test } from 'vitest';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { agentName, orderId, stepName, workflowName } from '#core/model/ids.ts';
import { delayedNudgeOf, nudgeOf } from '#core/model/message.ts';
import { nudge, reply, request, submission } from '../support/messages.ts';

test('encoded messages are decoded unchanged', () => {
  fc.assert(
    fc.property(nudge, reply, request, submission, (...messages) => {
      const codecs = [nudgeCodec, replyCodec, requestCodec, submissionCodec];
      const back = [
        nudgeCodec.decode(nudgeCodec.encode(messages[0])),
        replyCodec.decode(replyCodec.encode(messages[1])),
        requestCodec.decode(requestCodec.encode(messages[2])),
        submissionCodec.decode(submissionCodec.encode(messages[3])),
      ];
      expect(back).toEqual(messages.map((message) => ({ kind: 'message', message })));
      expect(codecs).toHaveLength(back.length);
    }),
  );
});

/** The characters that a queue accepts (SQS, SendMessage). */
const sendable = /^[\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

test('a queue accepts a message with any text, and the text is unchanged', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1 }),
    fc.constantFrom(
      '\u0000',
      '\u001f',
      '\ud800',
      '\udfff',
      '\ufffe',
      '\uffff',
      '\u{1ffff}',
      '"',
      '\\',
    ),
  );
  const text = fc.array(unit, { maxLength: 8 }).map((all) => all.join(''));
  const details = fc.tuple(text, text).map(([name, value]) => ({ of: [{ [`${name}.`]: value }] }));
  fc.assert(
    fc.property(request, details, text, (some, document, tenant) => {
      const message = { ...some, input: document, tenant };
      const encoded = requestCodec.encode(message);
      expect(encoded).toMatch(sendable);
      expect(requestCodec.decode(encoded)).toEqual({ kind: 'message', message });
    }),
  );
});

test('a nudge has the tenant of its order, and no byte for an order without one', () => {
  const id = orderId('one');
  const plain = '{"version":1,"kind":"nudge","orderId":"one","priority":"low"}';
  const nudged = nudgeOf({ orderId: id, priority: 'low', tenant: null });
  expect(nudgeCodec.encode(nudged)).toBe(plain);
  expect(nudgeCodec.decode(plain)).toStrictEqual({ kind: 'message', message: nudged });
  expect(nudgeCodec.decode(plain.replace('}', ',"tenant":null}'))).toStrictEqual({
    kind: 'message',
    message: nudged,
  });
  const owned = nudgeOf({ orderId: id, priority: 'low', tenant: '' });
  expect(nudgeCodec.encode(owned)).toBe(plain.replace('}', ',"tenant":""}'));
  const tooLong = nudgeCodec.decode(plain.replace('}', `,"tenant":"${'x'.repeat(65)}"}`));
  expect(tooLong.kind).toBe('malformed');
});

test('a nudge has its instant, and no byte for one that is for now', () => {
  const owner = { orderId: orderId('one'), priority: 'low', tenant: 't' } as const;
  const text =
    '{"version":1,"kind":"nudge","orderId":"one","priority":"low","tenant":"t","at":1700000000000}';
  const nudged = delayedNudgeOf(owner, 1_700_000_000_000);
  expect(nudgeCodec.encode(nudged)).toBe(text);
  expect(nudgeCodec.decode(text)).toStrictEqual({ kind: 'message', message: nudged });
  expect(nudgeCodec.encode(nudgeOf(owner))).toBe(text.replace(',"at":1700000000000', ''));
  expect(nudgeCodec.decode(text.replace('1700000000000', '"soon"')).kind).toBe('malformed');
});

test('a release that does not know a field of a nudge reads the others', () => {
  const text = '{"version":1,"kind":"nudge","orderId":"one","priority":"low","because":"held"}';
  const message = nudgeOf({ orderId: orderId('one'), priority: 'low', tenant: null });
  expect(nudgeCodec.decode(text)).toStrictEqual({ kind: 'message', message });
});

function fail(): never {
  throw new Error('nothing was sampled');
}

test.each([
  ['no JSON', 'is not valid JSON'],
  ['null', 'is no nudge of version 1'],
  ['{"version":0,"kind":"nudge","orderId":"a","priority":"low"}', 'is no nudge of version 1'],
  ['{"version":2,"kind":"reply"}', 'is no nudge of version 1'],
  ['{"version":1,"kind":"reply"}', 'is no nudge of version 1'],
  [
    '{"version":1,"kind":"nudge","orderId":"../x","priority":"low"}',
    'is invalid at orderId (has an invalid form)',
  ],
  ['{"version":1,"kind":"nudge"}', 'is invalid at orderId, priority'],
])('%s is malformed, with the reason', (text, reason) => {
  expect(nudgeCodec.decode(text)).toEqual({ kind: 'malformed', reason });
});

test('a message of a later version is not parked: a newer function can read it', () => {
  const text = '{"version":2,"kind":"nudge","order":"a"}';
  expect(nudgeCodec.decode(text)).toEqual({ kind: 'newer', reason: 'is a nudge of version 2' });
});

test('a submission without a key is malformed, because a queue delivers twice', () => {
  const text = '{"version":1,"kind":"submission","workflow":"house","details":{}}';
  expect(submissionCodec.decode(text)).toMatchObject({ reason: 'is invalid at key' });
});

test.each([
  ['a name twice', '"details":{"a":1,"a":2},"key":"k"', '`details.a` occurs more than once'],
  [
    'a lone surrogate',
    '"details":{},"key":"k","tenant":"\\ud800"',
    '`tenant` has a lone surrogate',
  ],
])('a submission with %s is malformed: what was stored would differ', (_, fields, reason) => {
  const text = `{"version":1,"kind":"submission","workflow":"house",${fields}}`;
  expect(submissionCodec.decode(text)).toMatchObject({
    kind: 'malformed',
    reason: expect.stringContaining(reason),
  });
});

test.each(['a b', 'a,b', 'é', '', 'k'.repeat(129)])(
  'a submission with the key "%s" is malformed, as by the API',
  (key) => {
    const message = { version: 1, kind: 'submission', workflow: 'house', details: {}, key };
    expect(submissionCodec.decode(JSON.stringify(message))).toEqual({
      kind: 'malformed',
      reason: 'is invalid at key',
    });
  },
);

test('a reply that nests too deeply is malformed', () => {
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  const text = `{"version":1,"kind":"reply","orderId":"a","step":"b","attempt":1,"action":"perform","result":{"kind":"succeeded","output":${deep}}}`;
  expect(replyCodec.decode(text)).toMatchObject({
    reason: 'is invalid at result.output (nests deeper than 64 levels)',
  });
});

const aRequest = fc.sample(request, { numRuns: 1, seed: 1 })[0] ?? fail();
const spoiledRequest = (changes: Record<string, unknown>) =>
  requestCodec.decode(JSON.stringify({ ...JSON.parse(requestCodec.encode(aRequest)), ...changes }));

test.each([
  ['without its slash', 'order-step', 'malformed'],
  ['of 200 characters', `${'o'.repeat(100)}/${'s'.repeat(99)}`, 'message'],
  ['of 201 characters', `${'o'.repeat(100)}/${'s'.repeat(100)}`, 'malformed'],
  ['that is no text', 7, 'malformed'],
])('a request with an idempotency key %s', (_, idempotencyKey, kind) => {
  expect(spoiledRequest({ idempotencyKey }).kind).toBe(kind);
});

test.each(['1e400', '-1e400', '{"a":[1,1e400]}'])(
  'a number that JSON would write as null is malformed: %s',
  (payload) => {
    const at = payload.startsWith('{') ? '.a.1' : '';
    const told = (where: string) => ({
      kind: 'malformed',
      reason: `is invalid at ${where}${at} (is not a finite number)`,
    });
    const within = (codec: { decode(text: string): unknown }, message: object) =>
      codec.decode(JSON.stringify({ version: 1, ...message }).replace('"PAYLOAD"', payload));
    const submitted = { kind: 'submission', workflow: 'house', key: 'k', details: 'PAYLOAD' };
    expect(within(submissionCodec, submitted)).toEqual(told('details'));
    const asked = { ...aRequest, kind: 'request', input: null, output: null };
    expect(within(requestCodec, { ...asked, input: 'PAYLOAD' })).toEqual(told('input'));
    expect(within(requestCodec, { ...asked, output: 'PAYLOAD' })).toEqual(told('output'));
    const { orderId: of, step: by } = aRequest;
    const result = { kind: 'succeeded', output: 'PAYLOAD' };
    const answer = { kind: 'reply', orderId: of, step: by, attempt: 1, action: 'perform', result };
    expect(within(replyCodec, answer)).toEqual(told('result.output'));
  },
);

test.each(['completeBy', 'endBy'])('a request whose %s is not a date is malformed', (name) => {
  const reason = `is invalid at ${name}`;
  expect(spoiledRequest({ [name]: 8_640_000_000_000_001 })).toEqual({ kind: 'malformed', reason });
  expect(spoiledRequest({ [name]: 8_640_000_000_000_000 }).kind).toBe('message');
});

test('a request without an input is malformed, and one whose input is null is not', () => {
  expect(spoiledRequest({ input: undefined })).toMatchObject({
    reason: 'is invalid at input (is missing)',
  });
  expect(spoiledRequest({ input: null }).kind).toBe('message');
});

test('a submission has normal priority and no tenant by default', () => {
  const text = '{"version":1,"kind":"submission","workflow":"house","details":{},"key":"k"}';
  expect(submissionCodec.decode(text)).toEqual({
    kind: 'message',
    message: {
      workflow: 'house',
      details: {},
      priority: 'normal',
      tenant: null,
      replyTo: null,
      correlationId: null,
      key: 'k',
    },
  });
});

const status = {
  orderId: orderId('one'),
  workflow: workflowName('house'),
  workflowVersion: 1,
  sequence: 5,
  previousState: 'Processing',
  processState: 'Error',
  direction: 'forward',
  fault: {
    code: 'exhausted',
    message: 'No.',
    effect: 'possible',
    step: stepName('roof'),
    action: 'perform',
  },
  priority: 'normal',
  tenant: 'acme',
  tried: { agent: agentName('paint'), attempts: 4, coolDowns: 1, since: 1_767_225_500_000 },
  replyTo: 'shop',
  correlationId: 'po-7',
  at: 1_767_225_600_000,
} as const;

test('a status message says the whole change, its fault included', () => {
  expect(JSON.parse(statusCodec.encode(status))).toMatchObject({ version: 1, kind: 'status' });
  expect(statusCodec.decode(statusCodec.encode(status))).toEqual({
    kind: 'message',
    message: status,
  });
});

test('messages without correlation ids and attempt summaries, from older releases, are decoded', () => {
  const { correlationId: _, tried: __, ...older } = status;
  const text = JSON.stringify({ version: 1, kind: 'status', ...older });
  expect(statusCodec.decode(text)).toEqual({
    kind: 'message',
    message: { ...status, correlationId: null, tried: null },
  });
  const sent = JSON.stringify({
    version: 1,
    kind: 'submission',
    workflow: 'house',
    details: {},
    key: 'k',
  });
  expect(submissionCodec.decode(sent)).toMatchObject({ message: { correlationId: null } });
});

test.each([
  [{ correlationId: '' }, 'is invalid at correlationId'],
  [{ correlationId: 'x'.repeat(129) }, 'is invalid at correlationId'],
  [{ sequence: 0 }, 'is invalid at sequence'],
  [{ at: -8_640_000_000_000_001 }, 'is invalid at at'],
  [{ fault: { code: 'x' } }, 'is invalid at fault.message'],
  [{ kind: 'nudge' }, 'is no status of version 1'],
])('a status message with %j is malformed', (changes, reason) => {
  const decoded = statusCodec.decode(
    JSON.stringify({ version: 1, kind: 'status', ...status, ...changes }),
  );
  expect(decoded).toMatchObject({ kind: 'malformed', reason: expect.stringContaining(reason) });
});

test('the reason for a message of another kind names the expected kind', () => {
  const nudgeText = '{"version":1,"kind":"nudge","orderId":"a","priority":"low"}';
  expect(requestCodec.decode(nudgeText)).toMatchObject({ reason: 'is no request of version 1' });
  expect(replyCodec.decode(nudgeText)).toMatchObject({ reason: 'is no reply of version 1' });
});
