/**
 * Mutation tests: `npm run test:mutation`; of some folders, `npm run test:mutation -- roles aws`; of some files,
 * `npm run test:mutation -- lib/roles/restart.ts`. Prints the score and the survivors of each folder;
 * docs/mutation.md explains the survivors. Fails where a score is below its limit.
 */
import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import * as z from 'zod';
import { type Folder, folders } from './folders.ts';

const reportSchema = z.object({
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
});

const asked = process.argv.slice(2);
const chosen = asked.length === 0 ? folders : asked.map(folderOf);

interface Score {
  readonly folder: Folder;
  readonly killed: number;
  readonly valid: number;
}

const scores: Score[] = [];
for (const folder of chosen) scores.push(await scoreOf(folder));
process.stdout.write(
  `\n| folder | killed | of | score | at least |\n| --- | --- | --- | --- | --- |\n`,
);
for (const { folder, killed, valid } of scores) {
  const line = [folder.name, killed, valid, `${percent({ killed, valid })} %`, `${folder.bar} %`];
  process.stdout.write(`| ${line.join(' | ')} |\n`);
}
const isLow = (score: Score) => score.killed * 100 < score.folder.bar * score.valid;
process.exitCode = scores.some(isLow) ? 1 : 0;

/** A folder, or a single file of one. */
function folderOf(name: string): Folder {
  const named = folders.find((folder) => folder.name === name);
  if (named !== undefined) return named;
  const around = folders.find((folder) => matchesGlob(name, folder.mutate));
  if (around !== undefined) return { ...around, mutate: name };
  const names = folders.map((folder) => folder.name).join(', ');
  process.stderr.write(
    `${name} is not mutated. There are the folders ${names}, and the files in them.\n`,
  );
  process.exit(2);
}

async function scoreOf(folder: Folder): Promise<Score> {
  process.env['REEVE_MUTATION_TESTS'] = folder.tests.join(' ');
  const report = `reports/mutation-${folder.name}.json`;
  await new Stryker({
    mutate: [folder.mutate],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    concurrency: 2,
    timeoutMS: 10_000,
    // Stryker rewrites a tsconfig by an interface that TypeScript 7 no longer has; vitest needs none.
    tsconfigFile: 'none',
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
    jsonReporter: { fileName: report },
    tempDirName: 'reports/stryker-tmp',
  }).runMutationTest();
  return { folder, ...countsIn(report) };
}

/** A mutant whose tests never end is killed; one that does not compile or run is invalid. */
function countsIn(report: string): Pick<Score, 'killed' | 'valid'> {
  const { files } = reportSchema.parse(JSON.parse(readFileSync(report, 'utf8')));
  const statuses = Object.values(files).flatMap(({ mutants }) =>
    mutants.map(({ status }) => status),
  );
  const count = (...wanted: readonly string[]) =>
    statuses.filter((status) => wanted.includes(status)).length;
  const killed = count('Killed', 'Timeout');
  return { killed, valid: killed + count('Survived', 'NoCoverage') };
}

function percent({ killed, valid }: Pick<Score, 'killed' | 'valid'>): string {
  // Rounded down, so that no score is shown as reaching a limit that it misses.
  return (Math.floor((1_000 * killed) / Math.max(1, valid)) / 10).toFixed(1);
}
