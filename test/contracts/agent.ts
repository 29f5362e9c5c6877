/**
 * What any agent must do, in whatever language it is written: it is known by its queues alone. It takes
 * requests for the agent `payment`, and its service is the simulated one, whose ledger says what was done.
 *
 * Heartbeats are not asked for: an agent that is done within `completeWithin` needs none.
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
import { replyCodec, requestCodec } from '#core/codec/message-codec.ts';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { Reply, Request } from '#core/model/message.ts';
import { type BreakableSuppliers, breakableSuppliers } from '../deploy/deployed.ts';
import { type FailingFront, failingFront } from '../support/failing-front.ts';
import { queueArn, type SqsServer, startSqs } from '../support/sqs-server.ts';

/** All that an agent is told. */
export interface AgentSurroundings {
  /** Where SQS is. */
  readonly endpoint: string;
  readonly requests: string;
  readonly replies: string;
  readonly deadLetters: string;
  readonly service: string;
}

/** Starts the agent; the function given back ends it. */
export type StartAgent = (surroundings: AgentSurroundings) => Promise<() => Promise<void>>;

/** Longer than any call here takes, and short enough to see a message given up, s. */
const visibilitySeconds = 8;
const receivesMax = 2;
/** Far enough for an agent that has all the time it needs, ms. */
const ample = 60_000;

let orders = 0;

/** A request of an order of its own. */
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

/** The request that takes back what another one asked for. */
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

    /** Waits until the agent is done with every message there was: none waits, and none is in its hands. */
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

    test('a request is answered by a reply that names it, and its effect is there once', async () => {
      const some = request({ attempt: 3 });
      expect(await answerTo(some)).toEqual({ ...named(some), result: charged });
      expect(await ledgerOf(some)).toEqual(once);
      expect(front.keysOf(some.orderId)).toEqual([some.idempotencyKey]);
    });

    test('a doubled request has one effect, and is answered twice with the same result', async () => {
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
    ])('%s is refused without asking the service', async (_, input) => {
      const some = request({ input });
      expect(await answerTo(some)).toEqual({ ...named(some), result: failed('none') });
      // An earlier attempt may have asked, by an agent that took this input.
      const later = { ...some, attempt: 2 };
      expect(await answerTo(later)).toEqual({ ...named(later), result: failed('possible') });
      expect(front.keysOf(some.orderId)).toEqual([]);
    });

    test('what the service declines for good is a fault without effect', async () => {
      await suppliers.set('payment', { declineRate: 1 });
      const some = request();
      const answer = await answerTo(some);
      expect(answer).toEqual({ ...named(some), result: failed('none', 'declined') });
    });

    test('a service in trouble is tried again within the deadline, under the same key', async () => {
      front.failNext(2);
      const some = request();
      expect((await answerTo(some))?.result).toEqual(charged);
      const key = some.idempotencyKey;
      expect(front.keysOf(some.orderId)).toEqual([key, key, key]);
      expect(await ledgerOf(some)).toEqual(once);
    });

    test('after complete-by nothing is said, whatever the service does', async () => {
      await suppliers.set('payment', { hangRate: 1 });
      const some = request({ completeBy: Date.now() + 1_500, endBy: Date.now() + 1_500 });
      await send(some);
      expect(await repliesOnceDone(some)).toEqual([]);
      expect(new Set(front.keysOf(some.orderId))).toEqual(new Set([some.idempotencyKey]));
    });

    test('an answer that is whole only after complete-by is not passed on', async () => {
      front.dribble(2_000);
      const some = request({ completeBy: Date.now() + 1_000, endBy: Date.now() + 1_000 });
      await send(some);
      expect(await repliesOnceDone(some)).toEqual([]);
      expect(new Set(front.keysOf(some.orderId))).toEqual(new Set([some.idempotencyKey]));
    });

    test('a request that comes after its complete-by is dropped, and the service not asked', async () => {
      const some = request({ completeBy: Date.now() - 1 });
      await send(some);
      expect(await repliesOnceDone(some)).toEqual([]);
      expect(front.keysOf(some.orderId)).toEqual([]);
      expect(await take(queues.deadLetters)).toEqual([]);
    });

    test('an undo takes the effect back, and no perform of that key can follow', async () => {
      const some = request();
      await answerTo(some);
      const undo = undoOf(some);
      expect(await answerTo(undo)).toEqual({ ...named(undo), result: undone });
      expect(await ledgerOf(some)).toEqual([{ state: 'undone', effects: 1 }]);
      expect((await answerTo({ ...some, attempt: 3 }))?.result).toMatchObject({ kind: 'failed' });
      expect(await ledgerOf(some)).toEqual([{ state: 'undone', effects: 1 }]);
    });

    test('an undo of what never happened succeeds, twice as well as once, and stays in the way', async () => {
      const some = request();
      const undo = undoOf(some);
      await Promise.all([send(undo), send(undo)]);
      const answer = { ...named(undo), result: undone };
      expect(await replies(undo, 2)).toEqual([answer, answer]);
      expect(front.keysOf(some.orderId)).toEqual([undo.idempotencyKey, undo.idempotencyKey]);
      expect((await answerTo({ ...some, attempt: 3 }))?.result).toMatchObject({ kind: 'failed' });
    });

    test('many requests at once are all answered', async () => {
      const many = Array.from({ length: 30 }, () => request());
      await Promise.all(many.map(send));
      for (const some of many) {
        expect(await replies(some, 1)).toEqual([{ ...named(some), result: charged }]);
      }
    });

    test('what is no request is answered by nothing, and becomes a dead letter', async () => {
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
