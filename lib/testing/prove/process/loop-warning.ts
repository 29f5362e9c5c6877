/**
 * Says that the code under proof may loop without end. Such a loop keeps the thread of the proof busy: no timer of it fires, no test
 * runner ends it, and nothing that it prints appears. So another thread watches it, and writes to standard error itself.
 */
import { Worker } from 'node:worker_threads';

/** Far longer than a world takes, ms. */
const worldMaxMs = 60_000;

const ended = -1;

/** What the other thread runs: it sleeps until the number of worlds changes. */
const watching = `
  const { workerData: { worlds, silentMs, text } } = require('node:worker_threads');
  for (let seen = 0; seen !== ${ended}; seen = Atomics.load(worlds, 0)) {
    if (Atomics.wait(worlds, 0, seen, silentMs) !== 'timed-out') continue;
    require('node:fs').writeSync(2, text);
    break;
  }
`;

const textOf = (silentMs: number) =>
  `Reeve: no simulated world has ended for ${silentMs / 1_000} s. The code that is being proven may loop without end, such as until the
clock reaches an instant: in a world, time passes only while the code awaits.\n`;

/** Of the proof that runs. */
let worlds: Int32Array | null = null;

/** Watches a proof until the returned function is called. @param silentMs how long a world may take */
export function watchLoops(silentMs = worldMaxMs): () => void {
  const own = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { worlds: own, silentMs, text: textOf(silentMs) };
  // A test runner may run this one with options that no worker takes.
  new Worker(watching, { eval: true, workerData, execArgv: [] }).unref();
  worlds = own;
  return () => {
    worlds = null;
    Atomics.store(own, 0, ended);
    Atomics.notify(own, 0);
  };
}

/** The proof that runs has come further. */
export function worldEnded(): void {
  if (worlds === null) return;
  Atomics.add(worlds, 0, 1);
  Atomics.notify(worlds, 0);
}
