/** One follower of events: a bounded buffer between what happens and a reader who may be slow. */

export interface Follower {
  /** What the reader is sent. */
  readonly body: ReadableStream<Uint8Array>;
  /** False when the reader is further behind than `bufferBytesMax`: it is then sent `farewell`, and no more. */
  push(bytes: Uint8Array): boolean;
  /** As above, however much it is: what a reader asked for from the beginning. */
  begin(pieces: readonly Uint8Array[]): void;
  /** The stream ends after what was pushed. */
  end(): void;
  /** Whether its reader is still there to be sent something. */
  isOpen(): boolean;
}

export interface FollowerOptions {
  readonly bufferBytesMax: number;
  readonly farewell: Uint8Array;
  /** Called once, however it ends: the reader went away, was cut off, or has everything. */
  readonly onGone: () => void;
}

export function follower({ bufferBytesMax, farewell, onGone }: FollowerOptions): Follower {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let state: 'open' | 'ending' | 'gone' = 'open';
  let wake: () => void = () => {};

  function leave(next: 'ending' | 'gone'): void {
    const wasOpen = state === 'open';
    state = next;
    wake();
    if (wasOpen) onGone();
  }

  function put(bytes: Uint8Array): void {
    queue.push(bytes);
    queuedBytes += bytes.byteLength;
    wake();
  }

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (queue.length === 0 && state === 'open') {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const bytes = queue.shift();
        if (state === 'gone') return;
        if (bytes === undefined) {
          state = 'gone';
          controller.close();
          return;
        }
        queuedBytes -= bytes.byteLength;
        controller.enqueue(bytes);
      },
      cancel() {
        queue = [];
        leave('gone');
      },
    },
    // The buffer is here, where it is bounded, and not in the stream.
    { highWaterMark: 0 },
  );

  return {
    body,
    push(bytes) {
      if (state !== 'open') return false;
      if (queuedBytes + bytes.byteLength <= bufferBytesMax) {
        put(bytes);
        return true;
      }
      // What it has not read is dropped at once: a reader who takes nothing keeps no memory.
      queue = [farewell];
      leave('ending');
      return false;
    },
    begin(pieces) {
      if (state === 'open') for (const piece of pieces) put(piece);
    },
    end() {
      if (state === 'open') leave('ending');
    },
    isOpen: () => state === 'open',
  };
}
