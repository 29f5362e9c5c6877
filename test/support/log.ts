/** A log that a test can read. */
import type { Log, LogFields } from '#ports/log.ts';

export interface TestLog extends Log {
  readonly lines: readonly { readonly event: string; readonly fields: LogFields }[];
}

export function testLog(): TestLog {
  const lines: { event: string; fields: LogFields }[] = [];
  const note = (event: string, fields: LogFields) => {
    lines.push({ event, fields });
  };
  return { lines, info: note, warn: note, error: note };
}
