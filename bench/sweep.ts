/**
 * Overdue orders in one shard of a hanging service, on the DynamoDB adapters: checks that each is counted to its
 * end, and measures a recovery. `npm run bench:sweep -- --orders 30000 --per-second 500`; after an outage of 20
 * minutes: `--outage 20`; as JSON: `--json`.
 */
import { parseArgs } from 'node:util';
import { limits } from '#core/model/limits.ts';
import { startDynoxide } from '../test/support/dynamo-server.ts';
import {
  endings,
  expectedEndings,
  hangingService,
  toTheEnd,
} from '../test/support/hanging-service.ts';

const { values: flags } = parseArgs({
  options: {
    orders: { type: 'string', default: '3000' },
    attempts: { type: 'string', default: '2' },
    'per-second': { type: 'string', default: '10' },
    outage: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
});
const [orders, attempts] = [Number(flags.orders), Number(flags.attempts)];
const outageMinutes = Number(flags.outage);
/** MiB of a function with one core (Lambda, configuring memory). */
const coreMiB = 1_769;
/** Recoveries per second of one partition of the due index: each changes the key, for two of 1,000 write units. */
const indexPerSecond = 500;

const server = await startDynoxide();
try {
  const world = await hangingService({
    client: server.client,
    attempts,
    perSecond: Number(flags['per-second']),
    pageMax: limits.sweepPage,
  });
  await world.minute();
  await world.submit(orders);
  world.outage(outageMinutes * 60_000);
  const minutes = await toTheEnd(world, 2_000);
  const found = endings(await world.records());
  const { recovered, cpuMs, wallMs } = world.sweeps;
  const interrupted = minutes.reduce((all, minute) => all + minute.interrupted, 0);
  const asExpected = found.join() === expectedEndings(attempts, outageMinutes > 0 ? 1 : 0).join();
  const result = {
    orders,
    minutes: minutes.length,
    unfinishedMinutes: minutes.filter(({ unfinished }) => unfinished).length,
    lagMaxSeconds: Math.round(Math.max(...minutes.map(({ lagMs }) => lagMs)) / 1_000),
    recoveries: recovered,
    interrupted,
    endings: found,
    cpuMsPerRecovery: Number((cpuMs / recovered).toFixed(3)),
    recoveriesPerSecond: Math.round((recovered * 1_000) / wallMs),
    asExpected,
  };
  if (flags.json) console.log(JSON.stringify(result));
  else print(result);
  if (!asExpected) process.exitCode = 1;
} finally {
  await server.close();
}

function print(
  result: {
    readonly [name in string]: unknown;
  },
): void {
  for (const [name, value] of Object.entries(result)) console.log(name, value);
  const perCore = (1_000 * recoveredPerCpu()) | 0;
  console.log(`a shard's recoveries per second by MiB (at most ${indexPerSecond} by its index):`);
  for (const memory of [256, 512, 1_024, 1_769]) {
    const byCpu = (perCore * memory) / coreMiB;
    console.log(`  ${memory}: ${Math.min(indexPerSecond, Math.round(byCpu))}`);
  }

  function recoveredPerCpu(): number {
    const ms = result['cpuMsPerRecovery'];
    return typeof ms === 'number' && ms > 0 ? 1 / ms : 0;
  }
}
