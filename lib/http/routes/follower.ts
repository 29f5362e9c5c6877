/** One follower of events: a bounded buffer for a reader that may be slow. */

export interface Follower {
  /** The body of the response. */
  readonly body: ReadableStream<Uint8Array>;
  /** False when more than `bufferBytesMax` are unread: the reader then gets `farewell`, and the stream ends. */
  push(bytes: Uint8Array): boolean;
  /** As `push`, without the limit: for the history that the reader requested. */
  begin(pieces: readonly Uint8Array[]): void;
  /** Ends the stream after the buffered events. */
  end(): void;
  /** False when the reader has disconnected or the stream has ended. */
  isOpen(): boolean;
  /** Calls `work` at the end: at once where the stream has ended. */
  whenGone(work: () => void): void;
}

export interface FollowerOptions {
  readonly bufferBytesMax: number;
  readonly farewell: Uint8Array;
  /** Called once at the end: the reader disconnected, was cut off, or has read everything. */
  readonly onGone: () => void;
}

export function follower({ bufferBytesMax, farewell, onGone }: FollowerOptions): Follower {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let state: 'open' | 'ending' | 'gone' = 'open';
  let wake: () => void = () => {};
  const atEnd = [onGone];

  function leave(next: 'ending' | 'gone'): void {
    const wasOpen = state === 'open';
    state = next;
    wake();
    if (wasOpen) for (const work of atEnd) work();
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
    // The buffer of the stream is not used, because only ours is bounded.
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
      // Unread events are dropped at once, so that a reader that has stopped reading uses no memory.
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
    whenGone(work) {
      if (state === 'open') atEnd.push(work);
      else work();
    },
  };
}
