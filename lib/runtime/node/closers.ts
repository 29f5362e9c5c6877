/** What a start opened, to be closed in the opposite order: also when the start fails, or ends half-way. */
import type { Clock } from '#ports/clock.ts';

export interface Closers {
  /** `name`: for the report. Closed at once when `closeAll` was called before. */
  add(name: string, close: () => void | Promise<void>): void;
  /** Resolves when everything is closed, or when the time is over: it never rejects. */
  closeAll(): Promise<void>;
}

export interface ClosersOptions {
  readonly clock: Clock;
  /** Time for all of them together, ms. */
  readonly withinMs: number;
  /** One failed, or was not closed in time. */
  readonly onFailure: (name: string, error: unknown) => void;
}

interface Open {
  readonly name: string;
  readonly close: () => void | Promise<void>;
}

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
