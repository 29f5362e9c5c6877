/**
 * The contract of agents in any language; it uses only their queues. The agent under test receives requests
 * for the agent `payment`, and calls the simulated service, whose effect ledger the tests read.
 *
 * Heartbeats are optional: an agent that ends within `completeWithin` needs none.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { Reply, Request } from '#core/model/message.ts';
import { type BreakableSuppliers, breakableSuppliers } from '../deploy/deployed.ts';
import { type FailingFront, failingFront } from '../support/failing-front.ts';
import { queueArn, type SqsServer, startSqs } from '../support/sqs-server.ts';

/** The configuration of an agent. */
export interface AgentSurroundings {
  /** The endpoint of SQS. */
  readonly endpoint: string;
  readonly requests: string;
  readonly replies: string;
  readonly deadLetters: string;
  readonly service: string;
}

/** Starts the agent; the returned function ends it. */
export type StartAgent = (surroundings: AgentSurroundings) => Promise<() => Promise<void>>;

/** Longer than any call here, and short enough to wait for a dead letter, s. */
const visibilitySeconds = 8;
const receivesMax = 2;
/** A deadline that no test reaches, ms. */
const ample = 60_000;

let orders = 0;

/** A request of a new order. */
function request(changes: Partial<Request> = {}): Request {
  orders += 1;
  const order = orderId(`order-${orders}`);
  const step = stepName('charge');
  const performKey = idempotencyKey(order, step, 'perform', 1);
  return {
    orderId: order,
    workflow: workflowName('order-fulfilment'),
    step,
    agent: agentName('payment'),
    attempt: 1,
    action: 'perform',
    idempotencyKey: performKey,
    performKey,
    completeBy: Date.now() + ample,
    completeWithinMs: ample,
    endBy: Date.now() + ample,
    input: { orderId: order, amountCents: 5_160, currency: 'EUR', token: 'tok_visa' },
    output: null,
    priority: 'normal',
    tenant: null,
    ...changes,
  };
}

/** A request with less time. */
function requestWithin(completeWithinMs: number): Request {
  const completeBy = Date.now() + completeWithinMs;
  return request({ completeBy, completeWithinMs, endBy: completeBy });
}

/** The request to undo the perform of another one. */
const undoOf = (perform: Request): Request => ({
  ...perform,
  attempt: perform.attempt + 1,
  action: 'undo',
  idempotencyKey: idempotencyKey(perform.orderId, perform.step, 'undo', 1),
  output: null,
});

const named = ({ orderId: order, step, attempt, action }: Request) => ({
  orderId: order,
  step,
  attempt,
  action,
});
const charged = { kind: 'succeeded', output: { chargeId: expect.any(String) } };
const undone = { kind: 'succeeded', output: null };
const failed = (effect: string, code: unknown = expect.any(String)) => ({
  kind: 'failed',
  fault: { code, message: expect.any(String), effect },
});

export function agentContract(name: string, start: StartAgent): void {
  describe(`the agent contract: ${name}`, { timeout: 60_000 }, () => {
    let sqs: SqsServer;
    let client: SQSClient;
    let suppliers: BreakableSuppliers;
    let front: FailingFront;
    let queues: Pick<AgentSurroundings, 'requests' | 'replies' | 'deadLetters'>;
    let stop: () => Promise<void> = async () => {};
    /** What came and was not asked for yet. */
    let inbox: Reply[] = [];

    beforeAll(async () => {
      sqs = await startSqs();
      client = sqs.client();
      suppliers = await breakableSuppliers();
      front = await failingFront(`${suppliers.url}/payment`);
      // As a deployment names them: an agent may know its dead letters by that.
      const deadLetters = await sqs.queue({}, deadLetterNames.request('test', 'payment'));
      const requests = await sqs.queue(
        {
          VisibilityTimeout: String(visibilitySeconds),
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: queueArn(deadLetters),
            maxReceiveCount: receivesMax,
          }),
        },
        queueNames.request('test', 'payment', 'normal'),
      );
      queues = { requests, replies: await sqs.queue(), deadLetters };
      stop = await start({ ...queues, endpoint: sqs.endpoint, service: front.url });
    });

    afterEach(async () => {
      front.dribble(0);
      await suppliers.reset();
    });

    afterAll(async () => {
      await stop();
      await front.close();
      await suppliers.close();
      await sqs.close();
    });

    const sendText = async (text: string) => {
      await client.send(new SendMessageCommand({ QueueUrl: queues.requests, MessageBody: text }));
    };
    const send = (some: Request) => sendText(requestCodec.encode(some));

    /** Messages of a queue, each taken for good. */
    const take = async (queue: string) => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
      );
      for (const { ReceiptHandle } of Messages) {
        await client.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
      }
      return Messages.map(({ Body = '' }) => Body);
    };

    const collect = async () => {
      for (const text of await take(queues.replies)) {
        const decoded = replyCodec.decode(text);
        if (decoded.kind !== 'message') throw new Error(`a reply ${decoded.reason}: ${text}`);
        inbox.push(decoded.message);
      }
    };

    /** Waits for that many replies to the order of a request; the test's own time is the limit. */
    const replies = async (to: Request, count: number) => {
      const mine = (reply: Reply) => reply.orderId === to.orderId;
      while (inbox.filter(mine).length < count) await collect();
      const own = inbox.filter(mine);
      inbox = inbox.filter((reply) => !mine(reply));
      return own;
    };

    const answerTo = async (some: Request) => {
      await send(some);
      return (await replies(some, 1))[0];
    };

    /** Waits until the request queue has neither visible nor hidden messages. */
    const allDone = async () => {
      const names = [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
      ] as const;
      for (;;) {
        const { Attributes = {} } = await client.send(
          new GetQueueAttributesCommand({ QueueUrl: queues.requests, AttributeNames: [...names] }),
        );
        if (names.every((count) => Attributes[count] === '0')) return;
        await sleep(50);
      }
    };

    const repliesOnceDone = async (to: Request) => {
      await allDone();
      await collect();
      return replies(to, 0);
    };

    const ledgerOf = async ({ orderId: order }: Request) => {
      const answer = await fetch(`${suppliers.url}/ledger?orderId=${order}`);
      return z
        .object({ entries: z.array(z.object({ state: z.string(), effects: z.int() })) })
        .parse(await answer.json()).entries;
    };
    const once = [{ state: 'applied', effects: 1 }];

    test('a request has a reply that names it, and one effect', async () => {
      const some = request({ attempt: 3 });
      expect(await answerTo(some)).toEqual({ ...named(some), result: charged });
      expect(await ledgerOf(some)).toEqual(once);
      expect(front.keysOf(some.orderId)).toEqual([some.idempotencyKey]);
    });

    test('a duplicated request has one effect, and two replies with the same result', async () => {
      const some = request();
      await Promise.all([send(some), send(some)]);
      const [first, second] = await replies(some, 2);
      expect(first).toEqual({ ...named(some), result: charged });
      expect(second).toEqual(first);
      expect(await ledgerOf(some)).toEqual(once);
    });

    test('a later attempt has no second effect, and its reply names the later attempt', async () => {
      const some = request();
      const first = await answerTo(some);
      const later = { ...some, attempt: 2 };
      expect(await answerTo(later)).toEqual({ ...named(later), result: first?.result });
      expect(await ledgerOf(some)).toEqual(once);
    });

    test.each([
      ['an input without a field', { orderId: 'x', amountCents: 1, currency: 'EUR' }],
      ['a field of another type', { orderId: 'x', amountCents: '1', currency: 'EUR', token: 't' }],
      ['no input at all', null],
    ])('%s is refused without a call of the service', async (_, input) => {
      const some = request({ input });
      expect(await answerTo(some)).toEqual({ ...named(some), result: failed('none') });
      // An earlier attempt may have asked, by an agent that took this input.
      const later = { ...some, attempt: 2 };
      expect(await answerTo(later)).toEqual({ ...named(later), result: failed('possible') });
      expect(front.keysOf(some.orderId)).toEqual([]);
    });

    test('a permanent refusal of the service is a fault without effect', async () => {
      await suppliers.set('payment', { declineRate: 1 });
      const some = request();
      const answer = await answerTo(some);
      expect(answer).toEqual({ ...named(some), result: failed('none', 'declined') });
    });

    test('calls of a failing service are retried within the deadline, under the same key', async () => {
      front.failNext(2);
      const some = request();
      expect((await answerTo(some))?.result).toEqual(charged);
      const key = some.idempotencyKey;
      expect(front.keysOf(some.orderId)).toEqual([key, key, key]);
      expect(await ledgerOf(some)).toEqual(once);
    });

    test('there is no reply after complete-by, regardless of the service', async () => {
      await suppliers.set('payment', { hangRate: 1 });
      const some = requestWithin(1_500);
      await send(some);
      expect(await repliesOnceDone(some)).toEqual([]);
      expect(new Set(front.keysOf(some.orderId))).toEqual(new Set([some.idempotencyKey]));
    });

    test('a response that is complete only after complete-by causes no reply', async () => {
      front.dribble(2_000);
      const some = requestWithin(1_000);
      await send(some);
      expect(await repliesOnceDone(some)).toEqual([]);
      expect(new Set(front.keysOf(some.orderId))).toEqual(new Set([some.idempotencyKey]));
    });

    test('a request that arrives after its complete-by is dropped or given back, without a call of the service', async () => {
      const some = request({ completeBy: Date.now() - 1 });
      await send(some);
      const replies = await repliesOnceDone(some);
      expect(replies.filter(({ result }) => result.kind !== 'deferred')).toEqual([]);
      expect(front.keysOf(some.orderId)).toEqual([]);
      expect(await take(queues.deadLetters)).toEqual([]);
    });

    test('an undo removes the effect, and a later perform with that key fails', async () => {
      const some = request();
      await answerTo(some);
      const undo = undoOf(some);
      expect(await answerTo(undo)).toEqual({ ...named(undo), result: undone });
      expect(await ledgerOf(some)).toEqual([{ state: 'undone', effects: 1 }]);
      expect((await answerTo({ ...some, attempt: 3 }))?.result).toMatchObject({ kind: 'failed' });
      expect(await ledgerOf(some)).toEqual([{ state: 'undone', effects: 1 }]);
    });

    test('an undo without a perform succeeds, also twice, and a later perform fails', async () => {
      const some = request();
      const undo = undoOf(some);
      await Promise.all([send(undo), send(undo)]);
      const answer = { ...named(undo), result: undone };
      expect(await replies(undo, 2)).toEqual([answer, answer]);
      expect(front.keysOf(some.orderId)).toEqual([undo.idempotencyKey, undo.idempotencyKey]);
      expect((await answerTo({ ...some, attempt: 3 }))?.result).toMatchObject({ kind: 'failed' });
    });

    test('many concurrent requests all have replies', async () => {
      const many = Array.from({ length: 30 }, () => request());
      await Promise.all(many.map(send));
      for (const some of many) {
        expect(await replies(some, 1)).toEqual([{ ...named(some), result: charged }]);
      }
    });

    test('a message that is not a request has no reply, and becomes a dead letter', async () => {
      const sound = request();
      const poison = [
        'no JSON at all',
        '[]',
        'null',
        JSON.stringify({ version: 9, kind: 'request', ...sound }),
        JSON.stringify({ version: 1, kind: 'reply', ...named(sound), result: undone }),
        JSON.stringify({ version: 1, kind: 'request', ...sound, attempt: 'first' }),
        JSON.stringify({ version: 1, kind: 'request', ...sound, idempotencyKey: undefined }),
      ];
      for (const text of poison) await sendText(text);
      const dead: string[] = [];
      while (dead.length < poison.length) dead.push(...(await take(queues.deadLetters)));
      expect(dead.toSorted()).toEqual(poison.toSorted());
      expect(await repliesOnceDone(sound)).toEqual([]);
      expect(front.keysOf(sound.orderId)).toEqual([]);
      const after = request();
      expect((await answerTo(after))?.result).toEqual(charged);
      expect(inbox).toEqual([]);
    });
  });
}
