/** A limit that all instances of a deployment share, under backlog, with clocks that are seconds apart, in virtual time. */
import { limited } from '#sim/load/limited.ts';
import { settle } from '#testing/prove/settle.ts';
import { rounded } from './figures.ts';
import { mostIn, overMax, usedMin } from './limit-bars.ts';

/** Calls per second, with the writes that a call may cost, and for how long, s: at a low rate a few writes at the ends of the time count much. */
export const modelledRates = [
  { perSecond: 5, writesMax: 1, seconds: 240 },
  { perSecond: 100, writesMax: 1, seconds: 30 },
  { perSecond: 1_000, writesMax: 0.2, seconds: 20 },
];
const skewMs = 2_000;
const callMs = 300;
const tenants = 4;
/** How much more is offered than the rate lets through. */
const offered = 3;
/** While instances are new, and after the backlog has ended, nothing is measured: parts of the calls. */
const measured = { from: 0.45, to: 0.9 };

/**
 * A limit by tenant under one of all calls. `least`: of what both allow together, at least so much is used, parts. A call leases a
 * slot of each limit, and knows less of limits that many instances change.
 */
export const modelledPairs = [
  { perSecond: 50, perTenant: 5, tenants: 4, least: 0.93 },
  { perSecond: 50, perTenant: 5, tenants: 20, least: 0.9 },
  { perSecond: 20, perTenant: 10, tenants: 4, least: 0.9 },
];
const pairSeconds = 30;

/** @param rate one of {@link modelledRates} */
export async function limitsModel({
  perSecond,
  writesMax,
  seconds,
}: (typeof modelledRates)[number]) {
  const rate = { count: perSecond, per: 1_000, burst: 1 };
  const orders = perSecond * seconds;
  const { begins, writes, processed, failures, schedulers } = await limited({
    limits: { own: [{ name: 'payment/whole', rate, atOnce: null, key: null }], shared: [] },
    ...{ orders, perSecond: offered * perSecond, callMs, skewMs, tenants, settle },
    seed: 1,
  });
  const sorted = begins.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  const within = (instants: readonly number[]) =>
    instants.filter((one) => one >= at(measured.from) && one < at(measured.to)).length;
  const calls = within(sorted);
  const used = calls / (((at(measured.to) - at(measured.from)) * perSecond) / 1_000);
  const writesPerCall = within(writes) / calls;
  const most = mostIn(1_000, sorted);
  const allowed = perSecond * (1 + overMax) + 1;
  return {
    perSecond,
    ...{ orders, schedulers, skewMs },
    usedPercent: rounded(100 * used),
    mostInASecond: most,
    allowedInASecond: Math.floor(allowed),
    writesPerCall: rounded(writesPerCall),
    failures,
    isPassed:
      processed === orders &&
      used >= usedMin &&
      most <= allowed &&
      writesPerCall <= writesMax &&
      failures === 0,
  };
}

/** @param pair one of {@link modelledPairs} */
export async function limitPairsModel({
  perSecond,
  perTenant,
  tenants: count,
  least,
}: (typeof modelledPairs)[number]) {
  const rateOf = (calls: number) => ({ count: calls, per: 1_000, burst: 1 });
  const key = ({ tenant }: { readonly tenant: string | null }) => tenant;
  const both = Math.min(perSecond, perTenant * count);
  const orders = both * pairSeconds;
  const { begins, writes, processed, failures } = await limited({
    limits: {
      own: [{ name: 'payment/whole', rate: rateOf(perSecond), atOnce: null, key: null }],
      shared: [{ name: 'payment/tenant', rate: rateOf(perTenant), atOnce: null, key }],
    },
    ...{ orders, perSecond: offered * both, callMs, skewMs, tenants: count, settle },
    seed: 1,
  });
  const sorted = begins.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  const calls = sorted.filter((one) => one >= at(measured.from) && one < at(measured.to)).length;
  const used = calls / (((at(measured.to) - at(measured.from)) * both) / 1_000);
  const most = mostIn(1_000, sorted);
  const allowed = perSecond * (1 + overMax) + 1;
  return {
    perSecond,
    ...{ perTenant, tenants: count, orders, skewMs },
    usedPercent: rounded(100 * used),
    mostInASecond: most,
    allowedInASecond: Math.floor(allowed),
    writesPerCall: rounded(writes.length / orders),
    failures,
    isPassed: processed === orders && used >= least && most <= allowed && failures === 0,
  };
}
