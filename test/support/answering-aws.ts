/** A service of AWS with answers that a test defines, for answers that emulators do not give; records the requests. */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { answeringServer } from './answering-server.ts';
import { testCredentials } from './dynamo-server.ts';

export interface AwsCall {
  /** As `ReceiveMessage`. */
  readonly operation: string;
  readonly input: unknown;
}

export interface AnsweringAws {
  readonly url: string;
  /** In order of arrival. */
  readonly calls: readonly AwsCall[];
}

/** The answer to a call; one with a `__type` is an error. */
export type AwsAnswer = (call: AwsCall, number: number) => object | Promise<object>;

/** For clients that use JSON. */
export async function answeringAws(answer: AwsAnswer): Promise<AnsweringAws> {
  process.env['AWS_REGION'] = 'us-east-1';
  process.env['AWS_ACCESS_KEY_ID'] = testCredentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = testCredentials.secretAccessKey;
  const calls: AwsCall[] = [];
  const { url } = await answeringServer(async (response, { headers, body }) => {
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
    const input: unknown = JSON.parse(body);
    const call = { operation, input };
    calls.push(call);
    const given = await answer(call, calls.length);
    response
      .writeHead('__type' in given ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify(given));
  });
  return { url, calls };
}

/** A message as SQS returns it, with the checksum that its client verifies. */
export const sqsMessage = (id: string, body: string, more: object = {}) => ({
  MessageId: id,
  ReceiptHandle: `receipt of ${id}`,
  Body: body,
  MD5OfBody: hash('md5', body),
  ...more,
});

const entriesSchema = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string().default('') })),
});

const messageSchema = z.object({ QueueUrl: z.string(), MessageBody: z.string() });

/** The answer of SQS that accepts a message or each entry of a batch, with the checksums that its client verifies; to any other call, an empty one. */
export const accepted = ({ input }: AwsCall): object => {
  const { data: message } = messageSchema.safeParse(input);
  if (message !== undefined) return { MD5OfMessageBody: hash('md5', message.MessageBody) };
  const { data } = entriesSchema.safeParse(input);
  if (data === undefined) return {};
  const Successful = data.Entries.map(({ Id, MessageBody }) => ({
    ...{ Id, MessageId: Id, MD5OfMessageBody: hash('md5', MessageBody) },
  }));
  return { Successful, Failed: [] };
};
