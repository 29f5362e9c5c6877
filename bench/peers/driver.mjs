/** What the programs of all peers have in common: they run orders, and print the same figures. */
import { readFileSync } from 'node:fs';

/** Orders that run before the measurement. */
const before = 2_000;
const alone = 200;
/** Kernel ticks per second of `/proc`, on every Linux that Node supports. */
const ticksPerSecond = 100;

/**
 * Runs orders, and prints their figures as JSON.
 *
 * @param {(order: string) => Promise<unknown>} run resolves when the order has ended
 * @param {readonly number[]} others processes that work for the orders besides this one
 */
export async function report(run, others) {
  const [orders, inFlight] = process.argv.slice(2).map(Number);
  await all(run, 'before', before, inFlight);
  const latencies = [];
  for (let at = 0; at < alone; at += 1) {
    const began = performance.now();
    await run(`alone-${at}`);
    latencies.push(performance.now() - began);
  }
  latencies.sort((a, b) => a - b);
  const cpuBefore = cpuMs(others);
  const began = performance.now();
  await all(run, 'order', orders, inFlight);
  const seconds = (performance.now() - began) / 1_000;
  console.log(
    JSON.stringify({
      ordersPerSecond: Math.round(orders / seconds),
      cpuMsPerOrder: (cpuMs(others) - cpuBefore) / orders,
      aloneP50Ms: latencies[alone / 2],
      aloneP99Ms: latencies[Math.floor(alone * 0.99)],
    }),
  );
}

async function all(run, name, count, inFlight) {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await run(`${name}-${next}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
}

function cpuMs(others) {
  const own = process.cpuUsage();
  const ofOthers = others.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000;
  });
  return (own.user + own.system) / 1_000 + ofOthers.reduce((sum, ms) => sum + ms, 0);
}
