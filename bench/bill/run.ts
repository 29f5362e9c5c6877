/** Runs orders through the bundled functions as Lambda's pollers would, and returns their consumption. */
import { systemClock } from '#runtime/node/system-clock.ts';
import { createTables, startDynoxide } from '../../test/support/dynamo-server.ts';
import { type Consumption, consumption, type RunCounts, used } from './consumption.ts';
import { countLog } from './count-log.ts';
import { deployedDefaults } from './deployed-defaults.ts';
import { postOf } from './front-door-event.ts';
import { arn, type Functions, type Handler, load, queue } from './functions.ts';
import { type StoredBytes, storedBytes } from './item-bytes.ts';
import { type Meter, startMeter, type Write } from './meter.ts';
import { type MovedClock, movedClock } from './moved-clock.ts';
import type { FunctionKind } from './prices.ts';

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
  /** The module of the handler of the last step's agent. */
  readonly lastAgent?: string;
  /** Characters of a note in the details; {@link ownItemNote}: the details are an item of their own. */
  readonly noteLength?: number;
  /** Orders that are under way together. */
  readonly waveOrders?: number;
  /** Orders that run before, one after the other, and do not count: after them, no instance is new. */
  readonly ordersBefore?: number;
  /** Orders of a bulk submission; 1: each order is submitted by itself. */
  readonly bulk?: number;
  /** By how much the clock moves while agents work, ms. */
  readonly stepMs?: number;
  /** Whether an operator has drained the first agent, and resumes it when the orders of a wave wait for it. */
  readonly areHeld?: boolean;
}

/** With so long a note, an order of three steps is two items, of 1 KB at most each. */
export const ownItemNote = 800;

/** Runs orders, and returns what they consumed. */
export async function consume({
  orders,
  batchMax,
  recovery = 'sweep',
  workflows = 'bench/bill/workflow.ts',
  lastAgent = 'bench/bill/agent-ship.ts',
  waveOrders = batchMax === 1 ? waveOfSingles : waveOfBatches,
  ordersBefore = 0,
  noteLength = 0,
  bulk = 1,
  stepMs = 0,
  areHeld = false,
}: Setting): Promise<Consumption> {
  const dynamo = await startDynoxide();
  const tables = await createTables(dynamo.client);
  const meter = await startMeter(dynamo.url, tables);
  const log = countLog();
  const clock = movedClock();
  try {
    const functions = await load({ meter, tables, recovery, workflows, lastAgent });
    const run = new Run({ meter, functions, clock }, { batchMax, noteLength, bulk, stepMs });
    for (let done = 0; done < ordersBefore; done += 1) await run.wave(1);
    const before = used(meter, run, log);
    for (let done = 0; done < orders; done += waveOrders) {
      await (areHeld ? run.heldWave(waveOrders) : run.wave(waveOrders));
    }
    await run.checkDeadlines();
    await run.expire();
    const after = used(meter, run, log);
    await run.firstSweeps();
    const swept = used(meter, run, log);
    await run.sweep();
    const idleSweep = { before: swept, after: used(meter, run, log) };
    return consumption(orders, { before, after, idleSweep }, meter.recordBytesMax);
  } finally {
    clock.restore();
    log.stop();
    meter.close();
    await dynamo.close();
  }
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

/** How a run delivers and submits. */
type Manner = Required<Pick<Setting, 'batchMax' | 'noteLength' | 'bulk' | 'stepMs'>>;

interface World {
  readonly meter: Meter;
  readonly functions: Functions;
  readonly clock: MovedClock;
}

const sweepPeriodMs = deployedDefaults.sweepMinutes * 60_000;
/** After so long, no function remembers that an agent was drained, nor whether orders wait, ms. */
const forgottenMs = 60_000;

class Run implements RunCounts {
  readonly invocations = new Map<FunctionKind, number>();
  /** Requests of the pollers: a receive and a delete for each batch. */
  polls = 0;
  readonly messages = new Map<FunctionKind, number>();
  changes = 0;
  stateChanges = 0;
  apiRequests = 0;
  stored: StoredBytes = { table: 0, indexes: 0 };
  private delivered = 0;
  private submitted = 0;
  private readonly seen: Write[] = [];
  private readonly meter: Meter;
  private readonly functions: Functions;
  private readonly clock: MovedClock;
  private readonly manner: Manner;

  constructor({ meter, functions, clock }: World, manner: Manner) {
    this.meter = meter;
    this.functions = functions;
    this.clock = clock;
    this.manner = manner;
  }

  /** Runs this many orders from their submission to their end. */
  async wave(orders: number): Promise<void> {
    this.awaitPeriod();
    await this.submitAll(orders);
    await this.untilIdle();
    await this.notify(this.meter.stream.splice(0));
  }

  /** An order that goes on beyond a third of a sweep period moves in the due index, for which the machine of the bill would decide. */
  private awaitPeriod(): void {
    const passedMs = systemClock.now() % sweepPeriodMs;
    if (passedMs > sweepPeriodMs / 3) this.clock.advance(sweepPeriodMs - passedMs);
  }

  /** The same for orders whose first step waits, until an operator lets its agent work again and a sweep starts what waits. */
  async heldWave(orders: number): Promise<void> {
    await this.change('reserve', { drained: true });
    await this.submitAll(orders);
    await this.untilIdle();
    await this.change('reserve', { drained: false });
    this.clock.advance(forgottenMs);
    while (this.seen.length < this.submitted) {
      await this.sweep();
      await this.untilIdle();
      await this.notify(this.meter.stream.splice(0));
      this.clock.advance(forgottenMs);
    }
  }

  /** Those of a new deployment, which read and write more than later ones. */
  async firstSweeps(): Promise<void> {
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      await this.sweep();
      this.clock.advance(sweepPeriodMs);
    }
  }

  /** A tick of the schedule. */
  async sweep(): Promise<void> {
    await this.invoke('supervisor', this.functions.checks.handle, {});
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

  private async submitAll(orders: number): Promise<void> {
    const { bulk } = this.manner;
    this.submitted += orders;
    const requests = Array.from({ length: Math.ceil(orders / bulk) }, (_, at) =>
      Math.min(bulk, orders - at * bulk),
    );
    while (requests.length > 0) {
      await Promise.all(requests.splice(0, submissionsAtOnce).map((some) => this.submit(some)));
    }
  }

  private async submit(orders: number): Promise<void> {
    const { bulk, noteLength } = this.manner;
    const details = {
      ...{ amountCents: 4_990, customer: 'ada', address: 'Analytical Lane 1, Berlin' },
      ...(noteLength > 0 && { note: 'x'.repeat(noteLength) }),
    };
    const order = { workflow: 'three-steps', details };
    this.apiRequests += 1;
    if (bulk === 1) await this.post('/orders', order, 202);
    else await this.post('/orders/batch', { orders: Array(orders).fill(order) }, 200);
  }

  private async change(agent: string, change: unknown): Promise<void> {
    await this.post(`/agents/${agent}`, change, 200);
  }

  private async post(path: string, body: unknown, expected: number): Promise<void> {
    const event = postOf(path, body);
    const answer = JSON.stringify(await this.invoke('frontDoor', this.functions.frontDoor, event));
    if (!answer.includes(`"statusCode":${expected}`) || answer.includes('\\"code\\"'))
      throw new Error(`not accepted: ${answer}`);
  }

  private async untilIdle(): Promise<void> {
    const { stepMs } = this.manner;
    if (stepMs === 0) {
      while (await this.consumeQueues(['agent', 'scheduler']));
      return;
    }
    // Agents have every request before any of them answers.
    let isIdle = false;
    while (!isIdle) {
      isIdle = true;
      while (await this.consumeQueues(['agent'])) isIdle = false;
      this.clock.advance(stepMs);
      while (await this.consumeQueues(['scheduler'])) isIdle = false;
    }
  }

  /** Consumes some batches of every queue of these functions at once; false when all were empty. */
  private async consumeQueues(kinds: readonly FunctionKind[]): Promise<boolean> {
    const queues = [...this.functions.byQueue].filter(([, { kind }]) => kinds.includes(kind));
    const batches = queues.flatMap(([name, worker]) =>
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
    const bodies = this.meter.queues.get(queue(name))?.splice(0, this.manner.batchMax) ?? [];
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
    for (const { after } of ends) {
      const { table, indexes } = storedBytes(after);
      this.stored = {
        table: this.stored.table + table,
        indexes: this.stored.indexes + indexes,
      };
    }
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
    const size = this.manner.batchMax === 1 ? 1 : streamBatchMax;
    for (let at = 0; at < records.length; at += size) {
      const Records = records.slice(at, at + size);
      await this.invoke('notifier', this.functions.notifier, { Records });
    }
  }
}
