/** A service of AWS with answers that a test defines, for answers that emulators do not give; records the requests. */
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
  /** In order of arrival. */
  readonly calls: readonly AwsCall[];
}

/** For clients that use JSON. An answer with a `__type` is an error. */
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

/** A message as SQS returns it, with the checksum that its client verifies. */
export const sqsMessage = (id: string, body: string, more: object = {}) => ({
  MessageId: id,
  ReceiptHandle: `receipt of ${id}`,
  Body: body,
  MD5OfBody: hash('md5', body),
  ...more,
});
