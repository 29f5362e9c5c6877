/** A service of AWS that answers as a test tells it: what no emulator can be made to say, and what it is asked. */
import { hash } from 'node:crypto';
import { answeringServer } from './answering-server.ts';
import { testCredentials } from './dynamo-server.ts';

export interface AwsCall {
  /** As `ReceiveMessage`. */
  readonly operation: string;
  readonly input: unknown;
}

export interface AnsweringAws {
  readonly url: string;
  /** In the order in which they came. */
  readonly calls: readonly AwsCall[];
}

/** For clients that speak JSON. An answer with a `__type` is an error. */
export async function answeringAws(
  answer: (call: AwsCall, number: number) => object,
): Promise<AnsweringAws> {
  process.env['AWS_REGION'] = 'us-east-1';
  process.env['AWS_ACCESS_KEY_ID'] = testCredentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = testCredentials.secretAccessKey;
  const calls: AwsCall[] = [];
  const { url } = await answeringServer((response, { headers, body }) => {
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
    const input: unknown = JSON.parse(body);
    const call = { operation, input };
    calls.push(call);
    const given = answer(call, calls.length);
    response
      .writeHead('__type' in given ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify(given));
  });
  return { url, calls };
}

/** As SQS gives it, with the checksum that its client insists on. */
export const sqsMessage = (id: string, body: string, more: object = {}) => ({
  MessageId: id,
  ReceiptHandle: `receipt of ${id}`,
  Body: body,
  MD5OfBody: hash('md5', body),
  ...more,
});
