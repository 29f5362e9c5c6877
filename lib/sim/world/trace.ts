/** What happened, line by line: its hash says whether two runs were the same, its text what went on. */

export interface Trace {
  /** `more` is for readers alone, and not of the hash. */
  record(line: string, more?: string): void;
  /** Of every line until now, as 16 hexadecimal digits. */
  hash(): string;
  /** Empty unless the trace was asked to keep them. */
  readonly lines: readonly string[];
}

/** @param now virtual time, ms; `keep`: whether the story will be read */
export function trace(now: () => number, keep: boolean): Trace {
  const start = now();
  const lines: string[] = [];
  let high = 0x811c9dc5;
  let low = 0x9dc5811c;
  return {
    lines,
    record(line, more = '') {
      const at = now() - start;
      // FNV-1a, twice over: a chance of 2⁻⁶⁴ that two stories look like one.
      high = Math.imul(high ^ at, 0x01000193);
      low = Math.imul(low ^ at, 0x85ebca6b);
      for (let place = 0; place < line.length; place += 1) {
        const code = line.charCodeAt(place);
        high = Math.imul(high ^ code, 0x01000193);
        low = Math.imul(low ^ code, 0x85ebca6b);
      }
      if (keep) lines.push(`${clockText(at)}  ${line} ${more}`.trimEnd());
    },
    hash: () => hex(high) + hex(low),
  };
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0');

function clockText(ms: number): string {
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${pad(hours, 3)}:${pad(minutes, 2)}:${pad(seconds % 60, 2)}.${pad(ms % 1_000, 3)}`;
}
