/** What errors and lines of the log say when a client of AWS fails: what happened, and nothing of an item. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import { eventBridgeClient } from '#aws/clients/event-bridge-client.ts';
import { secretsClient } from '#aws/clients/secrets-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { putEvents } from '#aws/notifications/put-events.ts';
import { parking } from '#aws/queues/parking.ts';
import { sqsRequestBacklog } from '#aws/queues/request-backlog.ts';
import { sendBatch } from '#aws/queues/send-batch.ts';
import { reportedError } from '#aws/reported-error.ts';
import { secretReader } from '#aws/secret-reader.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { agentName } from '#core/model/ids.ts';
import { circuitCopy } from '#distributed/circuit-copy.ts';
import { deliverMessages } from '#roles/queue-delivery.ts';
import { sweepInOwnInvocation } from '../../lambdas/own-invocation.ts';
import { answeringAws } from '../support/answering-aws.ts';
import { testLog } from '../support/log.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** Nothing listens on this port. */
const closed = 'http://127.0.0.1:1';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Where the calls of a client go; they have credentials. */
async function refusing(): Promise<string> {
  const { url } = await answeringAws(() => ({
    __type: 'com.amazonaws#AccessDeniedException',
    message: 'card 4111',
  }));
  return url;
}

const refused = (code: string) =>
  Object.assign(new Error(`connect ${code} 10.0.0.7:443`), { code, $metadata: { attempts: 3 } });

test.each<[unknown, string]>([
  [refused('ECONNREFUSED'), 'ECONNREFUSED'],
  [
    Object.assign(new AggregateError([refused('ECONNREFUSED'), refused('ETIMEDOUT')]), {
      code: 'ECONNREFUSED',
    }),
    'AggregateError (ECONNREFUSED, ETIMEDOUT)',
  ],
  [new AggregateError([refused('ETIMEDOUT'), refused('ETIMEDOUT')]), 'AggregateError (ETIMEDOUT)'],
  [Object.assign(refused('ETIMEDOUT'), { name: 'TimeoutError' }), 'TimeoutError (ETIMEDOUT)'],
  [
    new TransactionCanceledException({
      $metadata: { httpStatusCode: 400 },
      message: 'card 4111',
      CancellationReasons: [{ Code: 'None' }, {}, { Code: 'ThrottlingError', Message: '4111' }],
    }),
    'TransactionCanceledException (ThrottlingError, HTTP 400)',
  ],
  [new Error('card 4111'), 'Error'],
  [new TypeError('card 4111'), 'TypeError'],
  ['card 4111', 'unknown'],
])('what %o reports is %s', (cause, said) => {
  expect(reportedError(cause)).toBe(said);
});

const batch = [{ body: '{}' }];
const calls: readonly [string, (endpoint: string) => Promise<unknown>][] = [
  ['DynamoDB', (endpoint) => dynamoCircuits(dynamoClient({ endpoint }), 'c').read(agentName('a'))],
  ['SQS, a batch', (endpoint) => sendBatch(sqsClient({ endpoint }), `${endpoint}/0/q`, batch)],
  [
    'SQS, the length of a queue',
    (endpoint) => sqsRequestBacklog(sqsClient({ endpoint }), () => [`${endpoint}/0/q`]).of('a'),
  ],
  [
    'SQS, a dead letter',
    (endpoint) =>
      parking(sqsClient({ endpoint }), () => `${endpoint}/0/d`)(sqsRecord('1', '{}', 'q'), 'x'),
  ],
  [
    'EventBridge',
    (endpoint) =>
      putEvents(eventBridgeClient({ endpoint }), 'bus', [{ detailType: 'x', detail: '{}' }]),
  ],
  ['Secrets Manager', (endpoint) => secretReader('s', secretsClient('s', { endpoint }))()],
];

test.each(calls)('a refused call of %s names the refusal and its status', async (_, call) => {
  const said = 'AccessDeniedException (HTTP 400)';
  const error: unknown = await call(await refusing()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: `UnavailableError: ${said}`,
    message: expect.stringContaining(said),
  });
  expect(String(error)).not.toContain('4111');
});

test.each(calls)('a call of %s without a connection names its code', async (_, call) => {
  await refusing();
  await expect(call(closed)).rejects.toMatchObject({
    name: 'UnavailableError: ECONNREFUSED',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a sweep that cannot be handed over names the refusal of Lambda', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', closed);
  await refusing();
  await expect(sweepInOwnInvocation(1, { name: 'f', alias: 'live' })).rejects.toMatchObject({
    message: expect.stringMatching(/^Lambda call failed: ECONNREFUSED\. /),
  });
});

test('the log names the refusal where it leaves out the message of an error', async () => {
  const endpoint = await refusing();
  const log = testLog();
  const circuits = dynamoCircuits(dynamoClient({ endpoint }), 'c');
  const copy = { agent: 'a', instance: 'i', circuits, clock: virtualClock(), log };
  await circuitCopy(copy).read();
  await deliverMessages([sqsRecord('1', '{}', 'q')], {
    codec: { encode: String, decode: () => ({ kind: 'malformed', reason: 'is wrong' }) },
    receive: async () => [],
    park: parking(sqsClient({ endpoint }), () => `${endpoint}/0/d`),
    log,
  });
  const error = 'UnavailableError: AccessDeniedException (HTTP 400)';
  expect(log.lines.map(({ event, fields }) => [event, fields['error']])).toEqual([
    ['circuit-unavailable', error],
    ['parking-failed', error],
  ]);
});
