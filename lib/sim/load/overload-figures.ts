/** What an overload showed, by the minute, and whether that is what is promised. */
import { flowName, type LoadSetting, type Offer } from './load-setting.ts';
import type { Accepted, Overload } from './overload.ts';

/** The promises; waits in ms. */
const promised = {
  goodput: 0.95,
  highP99Ms: 2_000,
  lowPart: 0.047,
  jain: 0.95,
  retryAfterErrorP90: 0.3,
};

export interface OverloadFigures {
  readonly capacityPerSecond: number;
  readonly accepted: number;
  readonly refused: number;
  readonly processed: number;
  readonly failures: number;
  /** Of the worst minute, in parts of the capacity. */
  readonly goodput: number;
  /** How long the class high waited beyond the calls of its services, ms; p99 of the worst minute. */
  readonly highP50Ms: number;
  readonly highP99Ms: number;
  /** Orders of class high that were refused, although it had less than its share. */
  readonly highRefused: number;
  /** Of the worst minute: the part of the class low, and Jain's index of the tenants of classes normal and low. */
  readonly lowPart: number;
  readonly jainNormal: number;
  readonly jainLow: number;
  readonly retryAfterChecked: number;
  readonly retryAfterErrorP90: number;
  /** From the end of the overload until every order had ended, s. */
  readonly drainedAfterS: number;
  readonly missed: readonly string[];
}

export interface Measured {
  readonly setting: LoadSetting;
  readonly offers: readonly Offer[];
  readonly capacity: number;
  readonly forMs: number;
  readonly seen: Overload;
}

const minuteMs = 60_000;

export function figuresOf(measured: Measured): OverloadFigures {
  const { capacity, forMs, seen } = measured;
  const { orders, refusals } = seen;
  const minutes = Array.from({ length: Math.floor(forMs / minuteMs) }, (_, at) =>
    minuteOf(measured, at * minuteMs),
  );
  const least = (of: (minute: Minute) => number) => Math.min(...minutes.map(of));
  const errors = retryAfterErrors(measured);
  const figures = {
    capacityPerSecond: rounded(capacity, 1),
    accepted: orders.length,
    refused: refusals.length,
    processed: orders.filter(({ state }) => state === 'Processed').length,
    failures: orders.reduce((sum, order) => sum + order.failures, 0),
    goodput: rounded(
      least(({ goodput }) => goodput),
      3,
    ),
    highP50Ms: percentile(
      minutes.flatMap(({ highMs }) => highMs),
      0.5,
    ),
    highP99Ms: Math.max(...minutes.map(({ highMs }) => percentile(highMs, 0.99))),
    highRefused: refusals.filter(({ flow }) => flow.startsWith('high')).length,
    lowPart: rounded(
      least(({ lowPart }) => lowPart),
      3,
    ),
    jainNormal: rounded(
      least(({ jainNormal }) => jainNormal),
      3,
    ),
    jainLow: rounded(
      least(({ jainLow }) => jainLow),
      3,
    ),
    retryAfterChecked: errors.length,
    retryAfterErrorP90: rounded(percentile(errors, 0.9), 3),
    drainedAfterS: Math.round((seen.tookMs - forMs) / 1_000),
  };
  return { ...figures, missed: missedBy(figures) };
}

interface Minute {
  readonly goodput: number;
  readonly highMs: readonly number[];
  readonly lowPart: number;
  readonly jainNormal: number;
  readonly jainLow: number;
}

function minuteOf({ offers, capacity, seen }: Measured, from: number): Minute {
  const isIn = (at: number | null) => at !== null && at >= from && at < from + minuteMs;
  const ended = seen.orders.filter(({ endedAt }) => isIn(endedAt));
  const byFlow = Map.groupBy(ended, ({ flow }) => flow);
  const counts = (priority: Offer['priority']) =>
    offers
      .filter((offer) => offer.priority === priority)
      .map((offer) => byFlow.get(flowName(offer))?.length ?? 0);
  const high = seen.orders.filter(({ flow, at }) => isIn(at) && flow.startsWith('high'));
  return {
    goodput: (ended.length * 1_000) / minuteMs / capacity,
    highMs: high.map(waitOf),
    lowPart: counts('low').reduce((sum, count) => sum + count, 0) / ended.length,
    jainNormal: jain(counts('normal')),
    jainLow: jain(counts('low')),
  };
}

const waitOf = ({ at, endedAt, servedMs }: Accepted) =>
  (endedAt ?? Number.POSITIVE_INFINITY) - at - servedMs;

/**
 * A refused order would have begun after the last accepted one of its flow. The truth of its `Retry-After` is when that one
 * had to wait for half of the bound. Only orders that ended while the overload lasted can say.
 */
function retryAfterErrors({ setting, forMs, seen }: Measured): readonly number[] {
  return seen.refusals.flatMap(({ at, retryAfterMs, last }) => {
    if (last === undefined || last.endedAt === null || last.endedAt > forMs) return [];
    const truthMs = Math.max(1_000, last.endedAt - at - setting.backlogMaxMs / 2);
    const header = Math.max(1, Math.ceil(retryAfterMs / 1_000));
    return [Math.abs(header * 1_000 - truthMs) / truthMs];
  });
}

function missedBy(figures: Omit<OverloadFigures, 'missed'>): readonly string[] {
  const { goodput, highP99Ms, lowPart, jainNormal, jainLow, retryAfterErrorP90 } = figures;
  const isKept = {
    goodput: goodput >= promised.goodput,
    highP99Ms: highP99Ms <= promised.highP99Ms,
    highRefused: figures.highRefused === 0,
    lowPart: lowPart >= promised.lowPart,
    jain: Math.min(jainNormal, jainLow) >= promised.jain,
    retryAfterErrorP90: retryAfterErrorP90 <= promised.retryAfterErrorP90,
    processed: figures.processed === figures.accepted,
    failures: figures.failures === 0,
  };
  return Object.entries(isKept).flatMap(([name, is]) => (is ? [] : [name]));
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Jain's index of fairness: 1 when all have the same. */
function jain(values: readonly number[]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  const squares = values.reduce((all, value) => all + value * value, 0);
  return squares === 0 ? 0 : (sum * sum) / (values.length * squares);
}

const rounded = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;
