/** The function of an agent, invoked with one batch of requests, on an AWS that accepts everything unless a test says otherwise. */
import { expect } from 'vitest';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { Request } from '#core/model/message.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { type AwsAnswer, answeringAws } from './answering-aws.ts';
import { lambdaContext } from './lambda-poller.ts';
import { sqsRecord } from './sqs-record.ts';

interface Invocation {
  /** @default AWS accepts everything */
  readonly answer?: AwsAnswer;
  /** How often each request has been received. @default once */
  readonly receives?: number;
}

/** Returns the operations of AWS that were called. No request may be returned to its queue. */
export async function invokedAgent<Input extends JsonValue, Output extends JsonValue>(
  agent: AgentImplementation<Input, Output>,
  requests: readonly Request[],
  { answer = () => ({}), receives = 1 }: Invocation = {},
): Promise<readonly string[]> {
  const aws = await answeringAws(answer);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    REEVE_REPLY_QUEUE: `${aws.url}/000000000000/replies`,
    REEVE_COORDINATION_TABLE: 'coordination',
    REEVE_QUEUES: `${aws.url}/000000000000/test`,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { agentHandler } = await import('../../lambdas/agent-handler.ts');
  const Records = requests.map((request, at) =>
    sqsRecord(`message-${at}`, requestCodec.encode(request), undefined, { receives }),
  );
  const response = await agentHandler({ agent })({ Records }, lambdaContext());
  expect(response).toEqual({ batchItemFailures: [] });
  return aws.calls.map(({ operation }) => operation);
}
