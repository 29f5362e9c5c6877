import { expect, test } from 'vitest';
import { contextOf } from '#cli/context.ts';
import { progress } from '#cli/output/progress.ts';
import { scenario, terminal } from './scenario.ts';

const written: string[] = [];

async function shown(changes: Parameters<typeof scenario>[0], json: boolean) {
  written.length = 0;
  let nowMs = 0;
  const { world } = scenario({
    stdout: (text) => written.push(`out ${text}`),
    stderr: (text) => written.push(`err ${text}`),
    now: () => nowMs,
    ...changes,
  });
  const line = progress(await contextOf(world, { json }));
  for (let count = 1; count <= 12; count += 1) {
    nowMs += 1_000;
    line.write((columns) => `${count} done, ${columns} columns`);
  }
  line.clear();
  return written;
}

test('without a terminal a long command writes a line on stderr every five seconds', async () => {
  const lines = ['err 5 done, 80 columns\n', 'err 10 done, 80 columns\n'];
  expect(await shown({}, false)).toEqual(lines);
  expect(await shown(terminal, true)).toEqual(lines);
});

test('on a terminal one line is rewritten, and removed at the end', async () => {
  const lines = await shown(terminal, false);
  expect(lines).toHaveLength(13);
  expect(lines[11]).toContain('12 done, 100 columns');
  expect(lines.every((line) => line.startsWith('out \r\x1b[2K'))).toBe(true);
});
