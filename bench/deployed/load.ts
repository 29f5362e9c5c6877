/** Orders offered to a deployment at its limit, beside samples of its queues. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#runtime/node/system-clock.ts';
import type { Answer } from '../../test/deploy/deployed.ts';
import { exampleOrder } from '../example-order.ts';
import { percentile } from '../flow/figures.ts';
import type { Deployment } from './deployment.ts';
import { firstPace, nextPace, type Pace } from './pace.ts';
import { isDead, type QueueState, queueStates } from './queue-ages.ts';
import type { Point, Series } from './series.ts';
import { type Submission, submitted } from './submission.ts';

const secondMs = 1_000;
const warmUpMs = 20 * secondMs;
/** The rate follows the ages of the queues so often. */
const followMs = 5 * secondMs;
/** Connections of the submitters: while the front door answers none of them, no more orders are offered. */
const connections = 64;
/** No emulator keeps up for so long while the rate is doubled. */
const findMs = 120 * secondMs;
/** A message that is younger than this does not wait. */
const idleMs = secondMs;
/** A drained deployment was found so at so many samples, one a second. */
const idleSamples = 3;

/** The requests that the front door has not answered, as if they waited in a queue. */
const frontDoor = 'front door';

interface Sample {
  readonly at: number;
  readonly queues: readonly QueueState[];
}

const oldestOf = ({ queues }: Sample): number =>
  Math.max(...queues.map(({ oldestMs }) => oldestMs));

export class Load {
  /** Of all phases. */
  readonly submissions: Submission[] = [];
  private readonly deployment: Deployment;
  private readonly samples: Sample[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  /** When each request without an answer was sent, the oldest first. */
  private readonly sentAt = new Map<symbol, number>();
  private pace: Pace = firstPace;
  private readonly paces: { readonly at: number; readonly perSecond: number }[] = [];
  /** Of the offers, ms since the epoch. */
  private endMs = Number.POSITIVE_INFINITY;
  private offered = 0;
  private isSampling = true;
  private readonly sampling: Promise<void>;

  constructor(deployment: Deployment) {
    this.deployment = deployment;
    this.sampling = this.sample();
  }

  /** Offers orders at the first rate while the environments of the functions start. */
  async warmUp(): Promise<void> {
    await this.offer(systemClock.now() + warmUpMs);
  }

  /** Raises the rate until messages wait; returns it, orders per second. */
  async findLimit(): Promise<number> {
    const deadline = systemClock.now() + findMs;
    while (this.pace.isSlowStart) {
      if (systemClock.now() > deadline) throw new Error('the deployment has no limit');
      await this.offerAndFollow(Number.POSITIVE_INFINITY);
    }
    return this.pace.perSecond;
  }

  /** Offers orders at the limit for so long; what is refused after that is not offered again. */
  async offerFor(seconds: number): Promise<void> {
    this.endMs = systemClock.now() + seconds * secondMs;
    while (systemClock.now() < this.endMs) await this.offerAndFollow(this.endMs);
  }

  private async offerAndFollow(endMs: number): Promise<void> {
    const from = systemClock.now();
    this.paces.push({ at: from, perSecond: this.pace.perSecond });
    await this.offer(Math.min(from + followMs, endMs));
    const ages = this.samples.filter(({ at }) => at >= from).map(oldestOf);
    this.pace = nextPace(this.pace, percentile(ages, 0.5) / secondMs);
  }

  private async offer(untilMs: number): Promise<void> {
    const everyMs = secondMs / this.pace.perSecond;
    for (let dueAt = systemClock.now(); dueAt < untilMs; dueAt += everyMs) {
      await sleep(Math.max(0, dueAt - systemClock.now()));
      if (this.sentAt.size >= connections) await Promise.race(this.inFlight);
      if (systemClock.now() >= untilMs) return;
      this.submit();
    }
    await sleep(Math.max(0, untilMs - systemClock.now()));
  }

  private submit(): void {
    this.offered += 1;
    const key = `load-${this.offered}`;
    const one = submitted(
      key,
      (again) => this.post(again),
      () => this.endMs,
    ).then((submission) => {
      this.submissions.push(submission);
      this.inFlight.delete(one);
    });
    this.inFlight.add(one);
  }

  private async post(key: string): Promise<Answer> {
    const request = Symbol();
    this.sentAt.set(request, systemClock.now());
    const { reeve } = this.deployment;
    try {
      return await reeve.api('POST', '/orders', exampleOrder, { 'idempotency-key': key });
    } finally {
      this.sentAt.delete(request);
    }
  }

  async allAnswered(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  /** Waits until no message waits in any queue but the dead-letter queues; false: one still does after `withinMs`. */
  async drained(withinMs: number): Promise<boolean> {
    for (const deadline = systemClock.now() + withinMs; systemClock.now() < deadline; ) {
      await sleep(secondMs);
      const last = this.samples.slice(-idleSamples);
      const isIdle = ({ queues }: Sample) =>
        queues.every((queue) => isDead(queue) || queue.oldestMs < idleMs);
      if (this.inFlight.size === 0 && last.length === idleSamples && last.every(isIdle))
        return true;
    }
    return false;
  }

  /** The age of the oldest message of each queue since then, s. */
  agesSince(fromMs: number): readonly Series[] {
    const samples = this.samples.filter(({ at }) => at >= fromMs);
    const names = samples[0]?.queues.map(({ name }) => name) ?? [];
    return names.map((name) => ({
      name,
      points: samples.map(({ at, queues }) => ({
        atS: (at - fromMs) / secondMs,
        value: (queues.find((queue) => queue.name === name)?.oldestMs ?? 0) / secondMs,
      })),
    }));
  }

  /** The rates at which orders were offered since then, orders per second. */
  ratesSince(fromMs: number): readonly Point[] {
    return this.paces
      .filter(({ at }) => at >= fromMs)
      .map(({ at, perSecond }) => ({ atS: (at - fromMs) / secondMs, value: perSecond }));
  }

  private async sample(): Promise<void> {
    while (this.isSampling) {
      const from = systemClock.now();
      const queues = await queueStates(this.deployment.cloud, systemClock.now);
      const at = systemClock.now();
      const [oldest = at] = this.sentAt.values();
      const requests = {
        ...{ name: frontDoor, messages: this.sentAt.size, delayed: 0 },
        oldestMs: at - oldest,
      };
      this.samples.push({ at, queues: [requests, ...queues] });
      await sleep(Math.max(0, from + secondMs - systemClock.now()));
    }
  }

  async close(): Promise<void> {
    this.isSampling = false;
    await this.sampling;
  }
}
