/** The operator's command line on AWS. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { operatorTools } from '#aws/operator/operator-tools.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { orderId } from '#core/model/ids.ts';
import { answeringAws, sqsMessage } from '../support/answering-aws.ts';
import { answeringServer } from '../support/answering-server.ts';

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
});

const xml = (result: string) =>
  `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>${result}</DescribeStacksResult></DescribeStacksResponse>`;
const stackOf = (outputs: Readonly<Record<string, string>>) => {
  const members = Object.entries(outputs).map(
    ([name, value]) =>
      `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const more = members.length === 0 ? '' : `<Outputs>${members.join('')}</Outputs>`;
  return `<Stacks><member><StackName>s</StackName><StackStatus>CREATE_COMPLETE</StackStatus>${more}</member></Stacks>`;
};

/** A CloudFormation that gives this answer. */
async function cloudFormation(status: number, answer: string) {
  const { url, received } = await answeringServer((response) =>
    response.writeHead(status, { 'content-type': 'text/xml' }).end(answer),
  );
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', url);
  return { received, tools: operatorTools(fetch) };
}

test('the outputs of a stack are requested by its name', async () => {
  const outputs = { ApiUrl: 'https://api.example.com', DeadLetters: '{}' };
  const { received, tools } = await cloudFormation(200, xml(stackOf(outputs)));
  expect(await tools.outputs('reeve-prod')).toEqual(outputs);
  const [request] = received;
  const asked = new URLSearchParams(request?.body);
  expect([asked.get('Action'), asked.get('StackName')]).toEqual(['DescribeStacks', 'reeve-prod']);
});

test.each([stackOf({}), '<Stacks/>', ''])('the answer %j has no outputs', async (result) => {
  const { tools } = await cloudFormation(200, xml(result));
  expect(await tools.outputs('reeve-prod')).toEqual({});
});

test('a stack that does not exist is reported by its name, with the error of CloudFormation', async () => {
  const message = 'Stack with id reeve-prod does not exist';
  const { tools } = await cloudFormation(
    400,
    `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
  );
  await expect(tools.outputs('reeve-prod')).rejects.toMatchObject({
    code: 'stack-unknown',
    message: `The stack reeve-prod cannot be read: ${message}. Check its name, AWS_REGION and your credentials.`,
    cause: expect.objectContaining({ message }),
  });
});

test('a CloudFormation that cannot be reached is reported with the code of the connection', async () => {
  // Node tries each address of a host, and its error has no message.
  const addresses = [refusedAt('127.0.0.1'), refusedAt('::1')];
  const tools = operatorTools(fetch);
  vi.spyOn(CloudFormationClient.prototype, 'send').mockRejectedValue(new AggregateError(addresses));
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  await expect(tools.outputs('reeve-prod')).rejects.toMatchObject({
    message: expect.stringMatching(/ cannot be read: AggregateError \(ECONNREFUSED\)\. /),
  });
});

const refusedAt = (address: string) =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}:443`), { code: 'ECONNREFUSED' });

test.each([
  ['eu-west-1', 'eu-west-1'],
  [null, 'eu-central-1'],
])('a call to an API of the region %s is signed for %s', async (region, signedFor) => {
  const sent: Headers[] = [];
  const tools = operatorTools(async (_, init) => {
    sent.push(new Headers(init?.headers));
    return new Response('{}');
  });
  const signed = await tools.signedFetch(region);
  await signed('https://api.example.com/orders', { method: 'GET' });
  expect(sent[0]?.get('authorization')).toMatch(
    new RegExp(`Credential=AKIDEXAMPLE/\\d{8}/${signedFor}/execute-api/aws4_request`),
  );
});

const at = 'https://sqs.eu-central-1.amazonaws.com/123456789012/shop';
const output = JSON.stringify({
  queues: at,
  priorities: ['normal'],
  agents: [],
  webhooks: [],
  submission: false,
  mail: false,
});

/** A stack with one dead letter, a nudge. */
async function oneDeadLetter() {
  const body = nudgeCodec.encode({ orderId: orderId('one'), priority: 'normal' });
  let given = false;
  const { calls, url } = await answeringAws(({ operation, input }) => {
    if (operation !== 'ReceiveMessage') return {};
    if (given || !JSON.stringify(input).includes('_dead_ready')) return { Messages: [] };
    given = true;
    return { Messages: [sqsMessage('m', body)] };
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', url);
  const { deadLetters, isComplete } = await operatorTools(fetch).deadLetters(output);
  const [deadLetter] = deadLetters;
  if (deadLetter === undefined) throw new Error('there is one');
  const looked = calls.length;
  return { body, deadLetters, deadLetter, isComplete, done: () => calls.slice(looked) };
}

test('a dead letter has its possible actions, and no fields that only SQS needs', async () => {
  const { body, deadLetters, deadLetter, isComplete } = await oneDeadLetter();
  expect(isComplete).toBe(true);
  expect(deadLetters).toHaveLength(1);
  const { fate, sendBack, discard, release, ...shown } = deadLetter;
  expect(shown).toEqual({
    queue: 'Ready',
    kind: 'nudge',
    reason: 'received too often without success',
    wasParked: false,
    subject: { orderId: 'one', priority: 'normal' },
    body,
  });
  expect(fate({ processState: 'Pending', steps: {} })).toMatchObject({ kind: 'redrive' });
  expect(fate({ processState: 'Undone', steps: {} })).toMatchObject({ kind: 'discard' });
  expect(fate(null)).toMatchObject({ kind: 'keep' });
  expect([sendBack, discard, release].every((one) => typeof one === 'function')).toBe(true);
});

const receipt = { QueueUrl: `${at}_dead_ready`, ReceiptHandle: 'receipt of m' };
const deletion = { operation: 'DeleteMessage', input: receipt };

test('a dead letter is sent back, deleted or released by its receipt handle', async () => {
  const back = await oneDeadLetter();
  await back.deadLetter.sendBack();
  expect(back.done()).toEqual([
    { operation: 'ChangeMessageVisibility', input: { ...receipt, VisibilityTimeout: 120 } },
    {
      operation: 'SendMessageBatch',
      input: { QueueUrl: `${at}_ready_normal`, Entries: [{ Id: '0', MessageBody: back.body }] },
    },
    deletion,
  ]);
  const gone = await oneDeadLetter();
  await gone.deadLetter.discard();
  expect(gone.done()).toEqual([deletion]);
  const left = await oneDeadLetter();
  await left.deadLetter.release();
  expect(left.done()).toEqual([
    { operation: 'ChangeMessageVisibility', input: { ...receipt, VisibilityTimeout: 0 } },
  ]);
});
