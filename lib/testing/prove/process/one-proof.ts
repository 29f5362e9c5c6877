/**
 * One proof of a process runs at a time. A proof takes the place of the clock, of the network and of the listener for lost promises:
 * two at once would each restore what the other one had set, and would find each other's lost promises.
 */
import { nextTurn } from '#event-loop/turns.ts';
import { watchLoops } from './loop-warning.ts';
import { catchLostPromises, type LostPromises } from './lost-promises.ts';
import { refuseNetwork } from './real-network.ts';
import { installSources } from './virtual-sources.ts';

let last: Promise<unknown> = Promise.resolve();

/** Runs the proof when all that were begun before have ended, and restores the process after it, also when it throws. */
export function oneProof<Value>(proof: (lost: LostPromises) => Promise<Value>): Promise<Value> {
  const own = last.then(() => inItsProcess(proof));
  last = own.catch(() => {});
  return own;
}

async function inItsProcess<Value>(proof: (lost: LostPromises) => Promise<Value>): Promise<Value> {
  const watched = watchLoops();
  const uninstall = installSources();
  const allowNetwork = refuseNetwork();
  const lost = catchLostPromises();
  try {
    return await lost.within(() => proof(lost));
  } finally {
    // What the last worlds have lost is theirs.
    await nextTurn();
    lost.release();
    allowNetwork();
    uninstall();
    watched();
  }
}
