/** The function of an agent near its timeout. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { defineAgent } from '#core/definition/agent.ts';
import type { Request } from '#core/model/message.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { loadRequest } from '#sim/load/load-request.ts';
import { accepted, answeringAws } from '../support/answering-aws.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const contract = defineAgent({
  ...{ name: 'tax', input: z.strictObject({ isSlow: z.boolean() }), output: z.strictObject({}) },
  undo: 'unneeded',
});
const agent = implementAgent(contract, {
  async perform({ isSlow }) {
    if (isSlow) await new Promise(() => {});
    return {};
  },
});

test('a call that is not over half a second before the timeout is returned to its queue, and the others of its batch are acknowledged', async () => {
  const aws = await answeringAws(accepted);
  Object.assign(process.env, functionEnvironment(aws.url));
  // Imported here, because a function reads its environment when it is loaded.
  const { agentHandler } = await import('../../lambdas/agent-handler.ts');
  const ofRequest = { workflow: 'sale', step: 'tax', agent: 'tax', completeWithinMs: 600_000 };
  const Records = [false, true].map((isSlow, number) =>
    sqsRecord(
      isSlow ? 'slow' : 'quick',
      requestCodec.encode(loadRequest({ ...ofRequest, input: { isSlow }, number }, Date.now())),
    ),
  );
  const answer = await agentHandler({ agent })(
    { Records },
    lambdaContext(() => 2_000),
  );
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'slow' }] });
  const sent = aws.calls.filter(({ operation }) => operation === 'SendMessageBatch');
  expect(sent).toHaveLength(1);
});

const sent = z.object({ Entries: z.array(z.object({ MessageBody: z.string() })) });

/** A message that SQS has just given to its first receiver. */
function received(id: string, request: Request) {
  const record = sqsRecord(id, requestCodec.encode(request));
  const attributes = { ...record.attributes, ApproximateFirstReceiveTimestamp: `${Date.now()}` };
  return { Records: [{ ...record, attributes }] };
}

test('a call waits for its slot, by the time of the queues, which its function knows from its second batch on', async () => {
  const aws = await answeringAws(accepted);
  Object.assign(process.env, functionEnvironment(aws.url));
  const { agentHandler } = await import('../../lambdas/agent-handler.ts');
  const handler = agentHandler({ agent });
  const request = (number: number, inMs: number): Request => {
    const now = Date.now();
    const ofRequest = { workflow: 'sale', step: 'tax', agent: 'tax', completeWithinMs: 60_000 };
    return {
      ...loadRequest({ ...ofRequest, input: { isSlow: false }, number }, now),
      ...{
        slots: [{ name: 'tax/whole', everyMs: 10 }],
        startAt: now + inMs,
        startBy: now + 30_000,
      },
    };
  };
  for (const number of [1, 2]) {
    const event = received(`${number}`, request(number, 100));
    expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [] });
  }
  const replies = aws.calls.flatMap(({ input }) =>
    (sent.safeParse(input).data?.Entries ?? []).map(({ MessageBody }) => {
      const decoded = replyCodec.decode(MessageBody);
      return decoded.kind === 'message' ? decoded.message.result.kind : decoded.kind;
    }),
  );
  expect(replies).toEqual(['deferred', 'succeeded']);
});
