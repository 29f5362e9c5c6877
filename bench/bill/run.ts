/** Runs orders through the bundled functions as Lambda's pollers would, and returns their consumption. */

import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { queueNames } from '#aws/queues/queue-names.ts';
import { bundle } from '#infra/functions/bundles.ts';
import { agentSource, roleSource } from '#infra/functions/function-code.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { createTables, startDynoxide } from '../../test/support/dynamo-server.ts';
import { type Consumption, consumption, type RunCounts, used } from './consumption.ts';
import { countLog } from './count-log.ts';
import { type Meter, startMeter, type Write } from './meter.ts';
import type { FunctionKind } from './prices.ts';

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const agents = ['reserve', 'charge', 'ship'];
/** Orders that are under way together by default: enough to fill batches. */
const waveOfBatches = 100;
/**
 * Messages come one by one where orders do. An agent takes one message at a time here, so of more orders the last ones
 * would wait for more than a tenth of `completeWithin`: the Scheduler would hold steps, which costs writes.
 */
const waveOfSingles = 10;
/** More would time out where functions and servers share a core. */
const submissionsAtOnce = 10;
const streamBatchMax = 100;
/**
 * Concurrent batches of the Scheduler. Agents get one, because they batch replies per container and there is one
 * here.
 */
const batchesAtOnce = 5;

/** What is run. */
export interface Setting {
  readonly orders: number;
  readonly batchMax: number;
  /** As the parameter of the stack. */
  readonly recovery?: 'prompt' | 'sweep';
  /** The module of the workflows. */
  readonly workflows?: string;
  /** Characters of a note in the details; {@link ownItemNote}: the details are an item of their own. */
  readonly noteLength?: number;
  /** Orders that are under way together. */
  readonly waveOrders?: number;
  /** Orders that run before, one after the other, and do not count: after them, no instance is new. */
  readonly ordersBefore?: number;
}

/** With so long a note, an order of three steps is two items, of 1 KB at most each. */
export const ownItemNote = 800;

/** Runs orders, and returns what they consumed. */
export async function consume({
  orders,
  batchMax,
  recovery = 'sweep',
  workflows = 'bench/bill/workflow.ts',
  noteLength = 0,
  waveOrders = batchMax === 1 ? waveOfSingles : waveOfBatches,
  ordersBefore = 0,
}: Setting): Promise<Consumption> {
  const dynamo = await startDynoxide();
  const tables = await createTables(dynamo.client);
  const meter = await startMeter(dynamo.url, tables);
  const log = countLog();
  try {
    const functions = await load(meter, tables, { recovery, workflows });
    const run = new Run(meter, functions, batchMax, noteLength);
    for (let done = 0; done < ordersBefore; done += 1) await run.wave(1);
    const before = used(meter, run, log);
    for (let done = 0; done < orders; done += waveOrders) await run.wave(waveOrders);
    await run.checkDeadlines();
    await run.expire();
    return consumption(orders, before, used(meter, run, log), meter.recordBytesMax);
  } finally {
    log.stop();
    meter.close();
    await dynamo.close();
  }
}

interface Functions {
  readonly frontDoor: Handler;
  readonly notifier: Handler;
  /** By the queue that they consume. */
  readonly byQueue: ReadonlyMap<string, { readonly kind: FunctionKind; readonly handle: Handler }>;
  /** What consumes the deadline checks. */
  readonly checks: { readonly name: string; readonly kind: FunctionKind; readonly handle: Handler };
}

const roles = ['front-door', 'scheduler', 'supervisor', 'notifier'] as const;
const prefix = 'bill';
const queue = (name: string) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

async function load(
  meter: Meter,
  tables: Awaited<ReturnType<typeof createTables>>,
  { recovery, workflows }: Required<Pick<Setting, 'recovery' | 'workflows'>>,
): Promise<Functions> {
  const folderOf = bundle(
    {
      ...Object.fromEntries(roles.map((role) => [role, roleSource(role, workflows)])),
      ...Object.fromEntries(
        agents.map((name) => [name, agentSource({ handler: `bench/bill/agent-${name}.ts` })]),
      ),
    },
    join(mkdtempSync(join(tmpdir(), 'reeve-bill-')), 'bundles'),
  );
  const environment: Record<string, string> = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: meter.dynamoUrl,
    AWS_ENDPOINT_URL_SQS: meter.queueUrl,
    AWS_ENDPOINT_URL_EVENTBRIDGE: meter.eventsUrl,
    AWS_LAMBDA_FUNCTION_NAME: 'bill',
    POWERTOOLS_LOG_LEVEL: 'WARN',
    POWERTOOLS_SERVICE_NAME: 'reeve-prod',
    REEVE_ORDERS_TABLE: tables.orders,
    REEVE_PROCESSES_TABLE: tables.processes,
    REEVE_COORDINATION_TABLE: tables.coordination,
    REEVE_SHARDS: '4',
    REEVE_SWEEP_SECONDS: '60',
    REEVE_KEEP_DAYS: '30',
    REEVE_BACKLOG_MAX: '600',
    REEVE_QUEUES: queue(prefix),
    REEVE_PRIORITIES: 'normal',
    REEVE_AGENTS: agents.join(','),
    REEVE_LIMITED_AGENTS: '',
    REEVE_RECOVERY: recovery,
    REEVE_RESPONSE_CHANNELS: '{}',
    REEVE_EVENT_BUS: 'default',
    REEVE_DEPLOYMENT: 'bill',
    REEVE_COMMAND: 'npx reeve --stack bill',
  };
  Object.assign(process.env, environment);
  const copies = mkdtempSync(join(tmpdir(), 'reeve-bill-run-'));
  const handlerOf = async (name: string): Promise<Handler> => {
    process.env['REEVE_REPLY_QUEUE'] = queue(queueNames.reply(prefix, name));
    // Modules read their environment once, when they are loaded: each run loads files of its own.
    const copy = join(copies, name);
    cpSync(folderOf(name), copy, { recursive: true });
    const { handler } = await import(pathToFileURL(join(copy, 'index.mjs')).href);
    return handler;
  };
  const scheduler = { kind: 'scheduler', handle: await handlerOf('scheduler') } as const;
  const byQueue = new Map<string, { kind: FunctionKind; handle: Handler }>();
  byQueue.set(queueNames.ready(prefix, 'normal'), scheduler);
  // The checks come when the orders have ended: after the waves, as after their deadlines.
  const supervisor = { kind: 'supervisor', handle: await handlerOf('supervisor') } as const;
  const checks = { name: queueNames.check(prefix), ...supervisor };
  for (const name of agents) {
    const agent = { kind: 'agent', handle: await handlerOf(name) } as const;
    byQueue.set(queueNames.request(prefix, name, 'normal'), agent);
    byQueue.set(queueNames.reply(prefix, name), scheduler);
  }
  return {
    frontDoor: await handlerOf('front-door'),
    notifier: await handlerOf('notifier'),
    byQueue,
    checks,
  };
}

/** Messages of one queue, and what consumes them. */
interface Batch {
  readonly name: string;
  readonly kind: FunctionKind;
  readonly handle: Handler;
  readonly bodies: readonly string[];
}

const stateOf = (image: Write['after'] | undefined) => String(image?.['ProcessState']?.['S']);

const context = { getRemainingTimeInMillis: () => 20_000, functionName: 'bill', awsRequestId: '1' };

class Run implements RunCounts {
  readonly invocations = new Map<FunctionKind, number>();
  /** Requests of the pollers: a receive and a delete for each batch. */
  polls = 0;
  readonly messages = new Map<FunctionKind, number>();
  changes = 0;
  stateChanges = 0;
  private delivered = 0;
  private readonly seen: Write[] = [];
  private readonly meter: Meter;
  private readonly functions: Functions;
  private readonly batchMax: number;
  private readonly noteLength: number;

  constructor(meter: Meter, functions: Functions, batchMax: number, noteLength: number) {
    this.meter = meter;
    this.functions = functions;
    this.batchMax = batchMax;
    this.noteLength = noteLength;
  }

  /** Runs this many orders from their submission to their end. */
  async wave(orders: number): Promise<void> {
    for (let sent = 0; sent < orders; sent += submissionsAtOnce) {
      const length = Math.min(submissionsAtOnce, orders - sent);
      await Promise.all(Array.from({ length }, () => this.submit()));
    }
    while (await this.consumeQueues());
    await this.notify(this.meter.stream.splice(0));
  }

  /** Delivers the end of the records' retention. */
  async expire(): Promise<void> {
    const removed = this.seen.map(({ after }) => ({
      eventName: 'REMOVE',
      dynamodb: { SequenceNumber: '1', Keys: { OrderID: after['OrderID'] }, OldImage: after },
    }));
    await this.stream(removed);
  }

  private async invoke(kind: FunctionKind, handle: Handler, event: unknown): Promise<unknown> {
    this.invocations.set(kind, (this.invocations.get(kind) ?? 0) + 1);
    return handle(event, context);
  }

  private async submit(): Promise<void> {
    const details = {
      ...{ amountCents: 4_990, customer: 'ada', address: 'Analytical Lane 1, Berlin' },
      ...(this.noteLength > 0 && { note: 'x'.repeat(this.noteLength) }),
    };
    const event = {
      version: '2.0',
      rawPath: '/orders',
      rawQueryString: '',
      headers: { 'content-type': 'application/json', host: 'api' },
      requestContext: {
        http: { method: 'POST', path: '/orders' },
        domainName: 'api',
        authorizer: { iam: { userArn: 'arn:aws:sts::000000000000:assumed-role/shop/bill' } },
      },
      body: JSON.stringify({ workflow: 'three-steps', details }),
      isBase64Encoded: false,
    };
    const answer = await this.invoke('frontDoor', this.functions.frontDoor, event);
    if (!JSON.stringify(answer).includes('202')) {
      throw new Error(`not accepted: ${JSON.stringify(answer)}`);
    }
  }

  /** Consumes some batches of every queue at once; false when all queues were empty. */
  private async consumeQueues(): Promise<boolean> {
    const batches = [...this.functions.byQueue].flatMap(([name, worker]) =>
      Array.from({ length: worker.kind === 'agent' ? 1 : batchesAtOnce }, () =>
        this.take(name, worker),
      ),
    );
    const filled = batches.filter(({ bodies }) => bodies.length > 0);
    await Promise.all(filled.map((batch) => this.deliver(batch)));
    return filled.length > 0;
  }

  /** Delivers the deadline checks, which find that their orders have ended. */
  async checkDeadlines(): Promise<void> {
    const { name, ...worker } = this.functions.checks;
    for (;;) {
      const batch = this.take(name, worker);
      if (batch.bodies.length === 0) return;
      await this.deliver(batch);
    }
  }

  private take(name: string, worker: Omit<Batch, 'name' | 'bodies'>): Batch {
    const bodies = this.meter.queues.get(queue(name))?.splice(0, this.batchMax) ?? [];
    return { name, ...worker, bodies };
  }

  private async deliver({ name, kind, handle, bodies }: Batch): Promise<void> {
    this.polls += 2;
    this.messages.set(kind, (this.messages.get(kind) ?? 0) + bodies.length);
    const Records = bodies.map((body) => {
      this.delivered += 1;
      return {
        messageId: String(this.delivered),
        body,
        attributes: {
          ApproximateReceiveCount: '1',
          ApproximateFirstReceiveTimestamp: String(systemClock.now()),
        },
        eventSourceARN: arn(name),
      };
    });
    const answer = await this.invoke(kind, handle, { Records });
    if (JSON.stringify(answer) !== '{"batchItemFailures":[]}') {
      throw new Error(`not all messages were handled: ${JSON.stringify(answer)}`);
    }
  }

  /** Delivers the changes that pass the stream's filters (lib/infra/operations/notifications.ts). */
  private async notify(writes: readonly Write[]): Promise<void> {
    this.changes += writes.length;
    this.stateChanges += writes.filter(
      ({ before, after }) => stateOf(before) !== stateOf(after),
    ).length;
    const ends = writes.filter(({ after }) =>
      ['Processed', 'Undone', 'Error'].includes(stateOf(after)),
    );
    this.seen.push(...ends);
    const records = ends.map(({ before, after }) => ({
      eventName: 'MODIFY',
      dynamodb: {
        SequenceNumber: '1',
        Keys: { OrderID: after['OrderID'] },
        OldImage: before,
        NewImage: after,
      },
    }));
    await this.stream(records);
  }

  private async stream(records: readonly unknown[]): Promise<void> {
    const size = this.batchMax === 1 ? 1 : streamBatchMax;
    for (let at = 0; at < records.length; at += size) {
      const Records = records.slice(at, at + size);
      await this.invoke('notifier', this.functions.notifier, { Records });
    }
  }
}
