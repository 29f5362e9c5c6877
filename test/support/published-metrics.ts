/** Reads the metrics that a function publishes: lines of its output. */
import { onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { metrics } from '#aws/metric-names.ts';

const line = z.record(z.string(), z.unknown());

/** Call it before the function is loaded. Returns the lines of metrics that it has written since. */
export function publishedLines(): () => readonly unknown[] {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  return () =>
    write.mock.calls
      .map(([text]) => String(text))
      .filter((text) => text.includes('"CloudWatchMetrics"'))
      .map((text) => JSON.parse(text));
}

/** Call it before the function is loaded. Returns what was published since, by metric. */
export function publishedMetrics(): () => Record<string, unknown>[] {
  const lines = publishedLines();
  return () =>
    lines().map((published) => {
      const values = Object.entries(line.parse(published));
      return Object.fromEntries(values.filter(([name]) => name in metrics));
    });
}
