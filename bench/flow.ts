/**
 * Waiting is not failing: `npm run bench:flow`, for programs with `--json`. Each scenario has a bar; the command exits
 * with 1 when one is missed. `--only burst,outage` runs some of them; together they take about forty minutes.
 */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { deaths } from '#sim/load/endpoint-deaths.ts';
import { burst } from './flow/burst.ts';
import { endpoints } from './flow/endpoints.ts';
import { endpointsJitter, endpointsModel } from './flow/endpoints-model.ts';
import { limitKills } from './flow/limit-kills.ts';
import { limits } from './flow/limits.ts';
import { limitPairsModel, limitsModel, modelledPairs, modelledRates } from './flow/limits-model.ts';
import { offered, sendOffers, serveOffers } from './flow/offered.ts';
import { outage } from './flow/outage.ts';
import { overload } from './flow/overload.ts';
import { providers } from './flow/providers.ts';
import { recovery } from './flow/recovery.ts';
import { services } from './flow/services.ts';

const { values: flags } = parseArgs({
  options: {
    /** Comma-separated scenarios. */
    only: {
      type: 'string',
      default:
        'burst,services,overload,offered,outage,hang,recovery,endpoints,endpoints-model,providers,limits,limits-model,limit-kills',
    },
    json: { type: 'boolean', default: false },
    /** Another process keeps one core busy all the time. */
    busy: { type: 'boolean', default: false },
    /** Burst: orders, comma-separated concurrent calls per agent, and durations of a call, ms. */
    orders: { type: 'string', default: '4000' },
    calls: { type: 'string', default: '16,64,256' },
    ms: { type: 'string', default: '500,1000' },
    /** Overload: for how long, s. */
    'overload-s': { type: 'string', default: '60' },
    /** Offered: orders. */
    offered: { type: 'string', default: '100000' },
    /** Outage and hang: for how long, s. */
    'outage-s': { type: 'string', default: '120' },
    /** A process that this command starts, and its address. */
    part: { type: 'string' },
    url: { type: 'string', default: '' },
  },
});
/** Orders of which a fourth meet a silent agent. */
const recoveryOrders = 800;
/** Services: orders at once. */
const atOnce = [1_000, 4_000];
/** Providers: charges. */
const charges = 300;
const killedInstances = 1_000;
/** Virtual time without a death. */
const jitterSeconds = 3_600;
const numbers = (list: string) => list.split(',').map(Number);

interface Row {
  /** Whether every figure reaches its bar. */
  readonly isPassed: boolean;
}

type Scenario = (say: (text: string) => void) => AsyncGenerator<Row>;

const scenarios: Readonly<Record<string, Scenario>> = {
  async *burst() {
    for (const callMs of numbers(flags.ms)) {
      for (const concurrency of numbers(flags.calls)) {
        yield await burst({ orders: Number(flags.orders), callMs, concurrency });
      }
    }
  },
  async *services() {
    for (const orders of atOnce) yield await services(orders);
  },
  async *overload(say) {
    yield await overload(Number(flags['overload-s']), say);
  },
  async *offered(say) {
    yield await offered(Number(flags.offered), say);
  },
  async *outage(say) {
    yield await outage(Number(flags['outage-s']), 'down', say);
  },
  async *hang(say) {
    yield await outage(Number(flags['outage-s']), 'hangs', say);
  },
  async *recovery() {
    yield await recovery(recoveryOrders);
  },
  async *endpoints() {
    for (const death of deaths) yield await endpoints(death);
  },
  async *'endpoints-model'() {
    for (const death of deaths) yield await endpointsModel(death);
    yield await endpointsJitter(jitterSeconds);
  },
  async *providers() {
    for (const failover of ['wait', 'undo-first'] as const) {
      yield await providers(charges, failover);
    }
  },
  async *limits() {
    for (const perSecond of [5, 100, 1_000]) yield await limits(perSecond);
  },
  async *'limits-model'() {
    for (const rate of modelledRates) yield await limitsModel(rate);
    for (const pair of modelledPairs) yield await limitPairsModel(pair);
  },
  async *'limit-kills'() {
    for (const seed of [1, 2, 3, 4, 5]) yield await limitKills(killedInstances, seed);
  },
};

if (flags.part === 'server') await serveOffers();
else if (flags.part === 'sender') await sendOffers(flags.url, Number(flags.orders));
else if (flags.part === 'spinner') for (;;);
else await report();

async function report(): Promise<void> {
  const spinner = flags.busy ? fork(import.meta.filename, ['--part', 'spinner']) : null;
  const all: Record<string, readonly Row[]> = {};
  try {
    for (const name of flags.only.split(',')) {
      const scenario = scenarios[name];
      if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
      const rows: Row[] = [];
      for await (const row of scenario((text) => process.stderr.write(`${name}: ${text}\n`))) {
        rows.push(row);
        if (!flags.json) print(name, row);
      }
      all[name] = rows;
    }
  } finally {
    spinner?.kill();
  }
  if (flags.json) console.log(JSON.stringify({ isBusy: flags.busy, ...all }));
  if (Object.values(all).some((rows) => rows.some(({ isPassed }) => !isPassed))) {
    process.exitCode = 1;
  }
}

function print(name: string, row: Row): void {
  const { isPassed, ...figures } = row;
  console.log(`${isPassed ? 'passed' : 'MISSED'}: ${name}`);
  for (const [figure, value] of Object.entries(figures))
    console.log(`  ${figure.padEnd(24)}${value}`);
}
