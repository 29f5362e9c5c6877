/** What the functions log, metered instead of printed. */

export interface LogCount {
  readonly metrics: ReadonlySet<string>;
  bytes(): number;
  stop(): void;
}

/** Meters what is written until it is stopped. */
export function countLog(): LogCount {
  let bytes = 0;
  const metrics = new Set<string>();
  const streams = [process.stdout, process.stderr].map((stream) => {
    const { write } = stream;
    stream.write = (chunk: string | Uint8Array) => {
      bytes += Buffer.byteLength(chunk);
      for (const [, name = ''] of String(chunk).matchAll(/"Name":"(\w+)","Unit"/g))
        metrics.add(name);
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  return {
    metrics,
    bytes: () => bytes,
    stop: () => {
      for (const restore of streams) restore();
    },
  };
}
