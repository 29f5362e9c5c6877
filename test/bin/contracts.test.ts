/** The published contracts: they equal the command's output, and agree with the codecs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { alertDetail, alertDetailSchema } from '#aws/notifications/alert-detail.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import type { MessageCodec } from '#core/codec/messages/message-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { reply, request, status, submission } from '../support/messages.ts';
import { rubbish, spoiled } from '../support/spoiled.ts';

const folder = 'docs/contracts';
const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
const textsIn = (path: string) =>
  Object.fromEntries(
    readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]),
  );

test('the committed files equal the output of `npm run contracts`', () => {
  const made = mkdtempSync(join(tmpdir(), 'reeve-contracts-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  execFileSync(process.execPath, ['bin/contracts.ts', made]);
  expect(textsIn(folder)).toEqual(textsIn(made));
});

function accepts(name: string): (message: unknown) => boolean {
  const schema = z.looseObject({ $id: z.string() }).parse(read(`${name}.schema.json`));
  // A pattern checks the form of dates as well.
  return new Ajv2020({ strict: true, formats: { 'date-time': true } }).compile(schema);
}

/** Rejections of a codec that no schema can express. */
const beyondSchemas =
  /nests deeper than|is not a finite number|occurs more than once|has a lone surrogate/;

function agree<Message>(
  name: string,
  codec: MessageCodec<Message>,
  messages: fc.Arbitrary<Message>,
): void {
  describe(`the schema of a ${name}`, () => {
    const isFit = accepts(name);

    test('accepts what the codec encodes', () => {
      fc.assert(
        fc.property(messages, (message) => {
          expect(isFit(JSON.parse(codec.encode(message)))).toBe(true);
        }),
      );
    });

    test('rejects exactly the messages that the codec rejects', () => {
      const texts = fc.oneof(
        { weight: 4, arbitrary: messages.chain((some) => spoiled(JSON.parse(codec.encode(some)))) },
        { weight: 1, arbitrary: rubbish },
      );
      fc.assert(
        fc.property(texts, (text) => {
          const decoded = codec.decode(text);
          if (decoded.kind === 'malformed') {
            fc.pre(decoded.reason !== 'is not valid JSON' && !beyondSchemas.test(decoded.reason));
          }
          expect(isFit(JSON.parse(text))).toBe(decoded.kind === 'message');
        }),
        { numRuns: 2_000 },
      );
    });
  });
}

agree('request', requestCodec, request);
agree('reply', replyCodec, reply);
agree('status', statusCodec, status);
agree('submission', submissionCodec, submission);

test('the schema of an alert accepts what is published, and refuses what its own description does', () => {
  const isFit = accepts('alert');
  const details = status.map((change) =>
    alertDetail({ change, remedy: 'reeve resubmit one' }, 'reeve-prod'),
  );
  fc.assert(
    fc.property(details, details.chain(spoiled), (detail, text) => {
      expect(isFit(JSON.parse(JSON.stringify(detail)))).toBe(true);
      const other: unknown = JSON.parse(text);
      expect(isFit(other)).toBe(alertDetailSchema.safeParse(other).success);
    }),
    { numRuns: 1_000 },
  );
});

test('every field of every message is described', () => {
  const schemas = readdirSync(folder).filter((file) => file.endsWith('.schema.json'));
  expect(schemas.length).toBeGreaterThan(4);
  const undescribed = schemas.flatMap((file) => {
    const { title, properties } = described.parse(read(file));
    const bare = Object.entries(properties).filter(
      ([name, { description }]) => name !== 'result' && description === undefined,
    );
    return bare.map(([name]) => `${title}.${name}`);
  });
  expect(undescribed).toEqual([]);
});

const described = z.object({
  title: z.string(),
  description: z.string(),
  properties: z.record(z.string(), z.object({ description: z.string().optional() })),
});

describe('the AsyncAPI document', () => {
  const reference = z.strictObject({ $ref: z.string() });
  const carried = { channel: reference, messages: z.array(reference).nonempty() };
  const essentials = z.strictObject({
    asyncapi: z.literal('3.0.0'),
    info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
    servers: z.record(z.string(), z.looseObject({ host: z.string(), protocol: z.string() })),
    defaultContentType: z.literal('application/json'),
    channels: z.record(
      z.string(),
      z.strictObject({
        address: z.string().nullable(),
        title: z.string(),
        description: z.string(),
        messages: z.record(z.string(), reference),
        parameters: z.record(z.string(), z.strictObject({ description: z.string() })).optional(),
      }),
    ),
    operations: z.record(
      z.string(),
      z.strictObject({
        action: z.enum(['send', 'receive']),
        summary: z.string(),
        description: z.string(),
        ...carried,
        reply: z.strictObject(carried).optional(),
      }),
    ),
    components: z.strictObject({
      messages: z.record(
        z.string(),
        z.strictObject({
          name: z.string(),
          title: z.string(),
          summary: z.string(),
          payload: z.strictObject({ schemaFormat: z.string(), schema: reference }),
        }),
      ),
    }),
  });
  const document = essentials.parse(read('asyncapi.json'));

  test('has the channels of agents, submitters and operators', () => {
    const addresses = Object.values(document.channels).map(({ address }) => address);
    expect(addresses).toEqual(
      expect.arrayContaining(['requests-{agent}', 'replies-{agent}', '{replyTo}']),
    );
  });

  test('has no reference to a missing part', () => {
    const references: string[] = [];
    JSON.stringify(document, (key, value: unknown) => {
      if (key === '$ref' && typeof value === 'string') references.push(value);
      return value;
    });
    expect(references.length).toBeGreaterThan(15);
    expect(references.filter((to) => !leadsSomewhere(to))).toEqual([]);
  });

  test('explains every parameter of an address, and no other', () => {
    for (const { address, parameters = {} } of Object.values(document.channels)) {
      const named = [...(address ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(parameters)).toEqual(named);
    }
  });

  test('uses every channel, and in an operation only messages of its channel', () => {
    const uses = Object.values(document.operations).flatMap(({ reply: answer, ...asked }) =>
      answer === undefined ? [asked] : [asked, answer],
    );
    const used = uses.map(({ channel }) => channel.$ref.replace('#/channels/', ''));
    expect(new Set(used)).toEqual(new Set(Object.keys(document.channels)));
    for (const { channel, messages } of uses) {
      for (const { $ref } of messages)
        expect($ref.startsWith(`${channel.$ref}/messages/`)).toBe(true);
    }
  });

  function leadsSomewhere(to: string): boolean {
    if (to.startsWith('./')) return existsSync(join(folder, to));
    let at: unknown = document;
    for (const key of to.replace('#/', '').split('/')) {
      at = z.record(z.string(), z.unknown()).safeParse(at).data?.[key];
    }
    return at !== undefined;
  }
});
