/** A deployed Reeve with breakable suppliers. */

import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type LambdaClient,
  ListFunctionsCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { lambdaClient } from '#aws/clients/lambda-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { type DeadLetterQueues, deadLetterQueues } from '#aws/operator/dead-letter-queues.ts';
import { startSuppliers } from '#suppliers/start-suppliers.ts';
import type { MiniStack } from './ministack.ts';

const orderSchema = z.object({
  orderId: z.string(),
  processState: z.enum(['Pending', 'Processing', 'Processed', 'Error', 'Undone']),
  failureCount: z.int(),
  fault: z.object({ code: z.string() }).nullable(),
  steps: z.record(z.string(), z.object({ state: z.string(), attempt: z.int() })),
  completeBy: z.iso.datetime().nullable(),
  history: z.array(
    z.object({
      type: z.string(),
      by: z.string().optional(),
      steps: z.array(z.string()).optional(),
    }),
  ),
});
export type DeployedOrder = z.infer<typeof orderSchema>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** The credentials of the user `test`: MiniStack checks only whose they are. */
const signature =
  'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/execute-api/aws4_request, SignedHeaders=host, Signature=0';

export class Deployed {
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly deadLetterQueues: DeadLetterQueues;
  private readonly stack: MiniStack;
  private readonly host: string;

  constructor(stack: MiniStack, outputs: Readonly<Record<string, string>>) {
    Object.assign(process.env, stack.env);
    const clients = { endpoint: stack.endpoint, requestTimeoutMs: 60_000 };
    this.stack = stack;
    this.sqs = sqsClient(clients);
    this.lambda = lambdaClient(clients);
    this.host = new URL(outputs['ApiUrl'] ?? '').host;
    this.deadLetterQueues = deadLetterQueues(outputs['DeadLetters'] ?? '');
  }

  /** By the Host header, because names under localhost do not resolve everywhere. */
  api(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: this.stack.port,
        method,
        path,
        headers: {
          host: this.host,
          authorization: signature,
          // An empty body with the content type JSON is rejected.
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (incoming) => {
        let text = '';
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('end', () => {
          try {
            const { statusCode: status = 0, headers: answered } = incoming;
            resolve({ status, headers: answered, body: JSON.parse(text) });
          } catch (cause) {
            reject(new Error(`${method} ${path} answered ${text}`, { cause }));
          }
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }

  async submit(document: unknown, key?: string): Promise<string> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const { status, body } = await this.api('POST', '/orders', document, headers);
    if (status !== 202) throw new Error(`submit answered ${status}: ${JSON.stringify(body)}`);
    return z.object({ orderId: z.string() }).parse(body).orderId;
  }

  async order(orderId: string): Promise<DeployedOrder> {
    return orderSchema.parse((await this.api('GET', `/orders/${orderId}`)).body);
  }

  /** Sweeps until the order satisfies `done`; the schedule alone would take a minute each time. */
  async until(
    orderId: string,
    done: (order: DeployedOrder) => boolean,
    sweep = true,
  ): Promise<DeployedOrder> {
    for (const deadline = Date.now() + 150_000; Date.now() < deadline; ) {
      const order = await this.order(orderId);
      if (done(order)) return order;
      if (sweep) await this.sweep();
      await sleep(500);
    }
    throw new Error(
      `order ${orderId} does not reach the expected state: ${JSON.stringify(await this.order(orderId))}`,
    );
  }

  /**
   * Waits until all orders are due: the due index has the schedule's precision, a minute. All are read before the
   * wait, and one that the schedule's own sweep has recovered in the meantime is due no more.
   */
  async pastDue(orderIds: readonly string[]): Promise<void> {
    const due = await Promise.all(
      orderIds.map(async (orderId) => {
        const { completeBy, failureCount } = await this.until(
          orderId,
          (order) => order.completeBy !== null || order.failureCount > 0,
          false,
        );
        const minutes = Math.ceil(Date.parse(completeBy ?? '') / 60_000);
        return failureCount > 0 ? 0 : minutes * 60_000;
      }),
    );
    await sleep(Math.max(0, Math.max(...due) + 1 - Date.now()));
  }

  async functionNamed(description: string): Promise<string> {
    const { Functions: all = [] } = await this.lambda.send(new ListFunctionsCommand({}));
    const found = all.find((one) => one.Description === `Reeve: ${description}`);
    if (found?.FunctionName === undefined) throw new Error(`no function ${description}`);
    return found.FunctionName;
  }

  async sweep(): Promise<void> {
    const FunctionName = await this.functionNamed('Supervisor');
    const Payload = JSON.stringify({ sweep: 'all' });
    const { FunctionError, Payload: answer } = await this.lambda.send(
      new InvokeCommand({ FunctionName, Payload }),
    );
    if (FunctionError !== undefined) {
      throw new Error(`the sweep failed: ${Buffer.from(answer ?? []).toString()}`);
    }
  }

  /** Changes a function's environment; returns a function that restores it. */
  async reconfigure(
    description: string,
    changes: Readonly<Record<string, string>>,
  ): Promise<() => Promise<void>> {
    const FunctionName = await this.functionNamed(description);
    const { Environment: before } = await this.lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    const set = async (Variables: Record<string, string>) => {
      await this.lambda.send(
        new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }),
      );
    };
    const variables = before?.Variables ?? {};
    await set({ ...variables, ...changes });
    return () => set(variables);
  }

  /** @param delaySeconds how long the queue hides it first */
  async send(queue: string, body: string, delaySeconds = 0): Promise<void> {
    const message = { QueueUrl: queue, MessageBody: body, DelaySeconds: delaySeconds };
    await this.sqs.send(new SendMessageCommand(message));
  }

  /** Receives messages from a queue until `enough` returns true. */
  async take(queue: string, enough: (all: readonly Message[]) => boolean): Promise<Message[]> {
    const all: Message[] = [];
    for (const deadline = Date.now() + 60_000; Date.now() < deadline && !enough(all); ) {
      const { Messages: page = [] } = await this.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queue,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 1,
          MessageAttributeNames: ['All'],
        }),
      );
      for (const { ReceiptHandle } of page) {
        await this.sqs.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
      }
      all.push(...page);
    }
    return all;
  }

  /** The queue of class normal, by the name that `reeve dlq` uses. */
  source(name: string): string {
    const queue = this.deadLetterQueues[name]?.sources?.normal;
    if (queue === undefined) throw new Error(`no queue ${name}`);
    return queue;
  }

  /** The number of messages in a queue, including hidden ones, once it reaches the expected number. */
  async held(queue: string, atLeast: number): Promise<number> {
    let held = 0;
    for (const deadline = Date.now() + 60_000; Date.now() < deadline && held < atLeast; ) {
      await sleep(500);
      const { Attributes: of = {} } = await this.sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: queue, AttributeNames: ['All'] }),
      );
      const hidden = Number(of['ApproximateNumberOfMessagesNotVisible']);
      held = Number(of['ApproximateNumberOfMessages']) + hidden;
    }
    return held;
  }

  dead(name: string): string {
    const queue = this.deadLetterQueues[name]?.dead;
    if (queue === undefined) throw new Error(`no dead-letter queue ${name}`);
    return queue;
  }
}

export interface BreakableSuppliers {
  readonly url: string;
  /** For the stack's context. */
  readonly services: string;
  set(service: string, faults: Readonly<Record<string, number | boolean>>): Promise<void>;
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function breakableSuppliers(): Promise<BreakableSuppliers> {
  const dataDir = mkdtempSync(join(tmpdir(), 'reeve-suppliers-'));
  const { url, close } = await startSuppliers({ port: 0, dataDir });
  const names = ['fraud', 'inventory', 'payment', 'shipping'];
  return {
    url,
    services: JSON.stringify(Object.fromEntries(names.map((name) => [name, `${url}/${name}`]))),
    async set(service, faults) {
      const body = JSON.stringify(faults);
      const headers = { 'content-type': 'application/json' };
      await fetch(`${url}/faults/${service}`, { method: 'PUT', headers, body });
    },
    async reset() {
      await fetch(`${url}/faults`, { method: 'DELETE' });
    },
    async close() {
      await close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
