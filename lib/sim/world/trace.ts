/** What happened, line by line: its hash shows whether two runs were the same, its text what they did. */

export interface Trace {
  /** @param more details for readers, not part of the hash */
  record(line: string, more?: string): void;
  /** The hash of all lines so far, as 16 hexadecimal digits. */
  hash(): string;
  /** Empty unless the trace keeps its lines. */
  readonly lines: readonly string[];
}

/**
 * @param now virtual time, ms
 * @param keep whether to keep the lines
 */
export function trace(now: () => number, keep: boolean): Trace {
  const start = now();
  const lines: string[] = [];
  let high = 0x811c9dc5;
  let low = 0x9dc5811c;
  return {
    lines,
    record(line, more = '') {
      const at = now() - start;
      // FNV-1a twice: different traces have equal hashes with a probability of 2⁻⁶⁴.
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
