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
/** One world uses up to three per cent more or less than another: the pairs are measured over several. */
const pairSeeds = [1, 2, 3, 4, 5];

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
  const { within, seconds: measuredSeconds } = measuredOf(sorted);
  const calls = within(sorted);
  const used = calls / (measuredSeconds * perSecond);
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

type Pair = (typeof modelledPairs)[number];

/** Calls per second that both limits of a pair let through. */
const bothOf = ({ perSecond, perTenant, tenants: count }: Pair) =>
  Math.min(perSecond, perTenant * count);

/** @param pair one of {@link modelledPairs} */
export async function limitPairsModel(pair: Pair) {
  const { perSecond, perTenant, least } = pair;
  const worlds: Awaited<ReturnType<typeof pairWorld>>[] = [];
  for (const seed of pairSeeds) worlds.push(await pairWorld(pair, seed));
  const orders = worlds.length * bothOf(pair) * pairSeconds;
  const total = (figure: 'used' | 'writes' | 'processed' | 'failures') =>
    worlds.reduce((all, world) => all + world[figure], 0);
  const used = total('used') / worlds.length;
  const most = Math.max(...worlds.map((world) => world.most));
  const allowed = perSecond * (1 + overMax) + 1;
  const failures = total('failures');
  return {
    perSecond,
    ...{ perTenant, tenants: pair.tenants, worlds: worlds.length, orders, skewMs },
    usedPercent: rounded(100 * used),
    mostInASecond: most,
    allowedInASecond: Math.floor(allowed),
    writesPerCall: rounded(total('writes') / orders),
    failures,
    isPassed: total('processed') === orders && used >= least && most <= allowed && failures === 0,
  };
}

async function pairWorld(pair: Pair, seed: number) {
  const { perSecond, perTenant, tenants: count } = pair;
  const both = bothOf(pair);
  const rateOf = (calls: number) => ({ count: calls, per: 1_000, burst: 1 });
  const key = ({ tenant }: { readonly tenant: string | null }) => tenant;
  const { begins, writes, processed, failures } = await limited({
    limits: {
      own: [{ name: 'payment/whole', rate: rateOf(perSecond), atOnce: null, key: null }],
      shared: [{ name: 'payment/tenant', rate: rateOf(perTenant), atOnce: null, key }],
    },
    ...{ orders: both * pairSeconds, perSecond: offered * both },
    ...{ callMs, skewMs, tenants: count, settle, seed },
  });
  const sorted = begins.toSorted((a, b) => a - b);
  const { within, seconds } = measuredOf(sorted);
  const used = within(sorted) / (seconds * both);
  return { used, writes: writes.length, most: mostIn(1_000, sorted), processed, failures };
}

/** The time of the backlog that is measured, s, and how many of some instants are in it. @param begins in their order, ms */
function measuredOf(begins: readonly number[]) {
  const at = (part: number) => begins[Math.floor(begins.length * part)] ?? 0;
  const from = at(measured.from);
  const to = at(measured.to);
  const within = (instants: readonly number[]) =>
    instants.filter((one) => one >= from && one < to).length;
  return { within, seconds: (to - from) / 1_000 };
}
