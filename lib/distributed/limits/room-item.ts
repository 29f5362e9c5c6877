/** One item of calls at once, as one instance uses it. */
import { isOlder } from '../read-age.ts';
import { type KnownHolders, type KnownHoldersOptions, knownHolders } from './known-holders.ts';

/** See {@link roomItem}. */
export interface RoomItem
  extends Pick<KnownHolders, 'used' | 'readAt' | 'extend' | 'left' | 'doubted'> {
  /**
   * Whether the holder, which comes now, has room; those that come together while the limit allows as many share a write.
   *
   * @param max holders at once
   * @throws {UnavailableError}
   */
  enter(holder: string, until: number, max: number): Promise<boolean>;
  /**
   * Reads who has room; calls that come together share a read.
   *
   * @param since a read that began before that is not enough, ms since the epoch
   * @throws {UnavailableError}
   */
  look(since: number): Promise<void>;
  /** Writes who has gone, if others may want their room. False: it is to be called again later. @throws {UnavailableError} */
  settle(): Promise<boolean>;
}

/** A full item is asked again after this, ms. */
export const askAgainMs = 200;
/**
 * Another instance may change the item between two writes: after so many that were refused, the call waits. In all, they are as many as the
 * largest item needs.
 */
const writesMax = { refused: 3, all: 20 };

/** Those who come together. */
interface Batch {
  readonly come: Map<string, number>;
  readonly max: number;
  readonly entered: Promise<ReadonlySet<string>>;
}

/** Nothing is known at first. */
export function roomItem(options: KnownHoldersOptions, name: string): RoomItem {
  const { clock } = options;
  const known = knownHolders(options, name);
  const { used, readAt, extend, left, doubted } = known;
  let batch: Batch | null = null;
  /** The read in flight, and since when. */
  let looking: { readonly at: number; readonly read: Promise<unknown> } | null = null;

  /** Lets as many of them enter as there is room for. */
  async function enterAll({ come, max }: Batch): Promise<ReadonlySet<string>> {
    const entered = new Set<string>();
    let isOld = isOlder(readAt(), askAgainMs, clock.now());
    const mayEnter = () => entered.size < come.size && (isOld || used() < max);
    await writeWhile(mayEnter, async () => {
      const count = used() < max ? Math.max(0, known.roomOfWrite(max)) : 1;
      isOld = false;
      const some = new Map([...come].slice(entered.size, entered.size + count));
      const isDone = await known.write(some, max);
      if (isDone) for (const holder of some.keys()) entered.add(holder);
      return isDone;
    });
    return entered;
  }

  function begin(max: number): Batch {
    const entered = Promise.resolve().then(() => {
      if (batch === own) batch = null;
      return enterAll(own);
    });
    const own: Batch = { come: new Map<string, number>(), max, entered };
    return own;
  }

  return {
    ...{ used, readAt, extend, left, doubted },
    async enter(holder, until, max) {
      const own = batch?.max === max ? batch : begin(max);
      batch = own;
      own.come.set(holder, until);
      return (await own.entered).has(holder);
    },
    async look(since) {
      if (looking === null || looking.at < since) {
        const read = known.write(new Map(), 0).finally(() => {
          if (looking === own) looking = null;
        });
        const own = { at: clock.now(), read };
        looking = own;
      }
      await looking.read;
    },
    async settle() {
      // Another instance may have extended the time of one that has gone.
      const isDue = () => known.goneDue() === 'now';
      await writeWhile(isDue, () => known.write(new Map(), 0));
      return known.goneDue() === 'never';
    },
  };
}

/** @param write false: it was refused */
async function writeWhile(isDue: () => boolean, write: () => Promise<boolean>): Promise<void> {
  let refused = 0;
  for (let writes = 0; writes < writesMax.all && isDue(); writes += 1) {
    if (!(await write())) refused += 1;
    if (refused === writesMax.refused) return;
  }
}
