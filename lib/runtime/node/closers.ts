/** Closes everything that a start opened, in reverse order; also after a failed or interrupted start. */
import type { Clock } from '#ports/clock.ts';

/** The opened parts of a process. */
export interface Closers {
  /** Registers a part; closes it at once when `closeAll` was called before. `name`: for the error message. */
  add(name: string, close: () => void | Promise<void>): void;
  /** Resolves when everything is closed or the time has passed; never rejects. */
  closeAll(): Promise<void>;
}

/** Options of {@link closers}. */
export interface ClosersOptions {
  readonly clock: Clock;
  /** The time for all parts together, ms. */
  readonly withinMs: number;
  /** Called when a part failed to close, or did not close in time. */
  readonly onFailure: (name: string, error: unknown) => void;
}

interface Open {
  readonly name: string;
  readonly close: () => void | Promise<void>;
}

/** Makes the list of opened parts, which is empty. */
export function closers({ clock, withinMs, onFailure }: ClosersOptions): Closers {
  const open: Open[] = [];
  let isClosing = false;

  async function closeOne({ name, close }: Open): Promise<void> {
    try {
      await close();
    } catch (error) {
      onFailure(name, error);
    }
  }

  return {
    add(name, close) {
      if (isClosing) void closeOne({ name, close });
      else open.push({ name, close });
    },
    async closeAll() {
      isClosing = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      let closing: Open | undefined;
      const cancel = clock.after(withinMs, () => {
        if (closing !== undefined) onFailure(closing.name, new Error('It took too long to close.'));
        resolve();
      });
      const all = async () => {
        for (closing = open.pop(); closing !== undefined; closing = open.pop()) {
          await closeOne(closing);
        }
      };
      await Promise.race([all(), late]);
      cancel();
    },
  };
}
