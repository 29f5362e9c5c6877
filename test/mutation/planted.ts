/**
 * Plants each of the listed mistakes, one at a time, and runs the test file that must fail: `npm run test:planted`.
 * It works on a copy, so that an interruption leaves no mistake behind. Exits with 1 when a mistake survives, or
 * when its text is no longer found.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { plantMistake } from '#sim/mutants/plant-mistake.ts';
import type { Mistake } from './mistake.ts';
import { mistakes } from './mistakes.ts';

const copied = ['lib', 'lambdas', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const reportSchema = z.object({
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) }),
  ),
});

const copy = mkdtempSync(join(tmpdir(), 'reeve-planted-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
makeCopy();

const files = [...new Set(mistakes.map(({ test }) => test))];
const before = failuresOf(files);
if (before.length > 0) {
  console.log(`These fail without any mistake: ${before.join('; ')}`);
  process.exit(1);
}
const caughtBy = mistakes.map((mistake) => ({ mistake, tests: planted(mistake) }));
console.log('mistake | caught by');
for (const { mistake, tests } of caughtBy) {
  const more = tests.length > 1 ? ` (and ${tests.length - 1} more)` : '';
  const by = tests[0] === undefined ? 'SURVIVED' : `${mistake.test}: ${tests[0]}${more}`;
  console.log(`${mistake.name} | ${by}`);
}
const caught = caughtBy.filter(({ tests }) => tests.length > 0).length;
console.log(`${caught} of ${mistakes.length} mistakes were caught.`);
if (caught < mistakes.length) process.exitCode = 1;

function makeCopy(): void {
  for (const name of copied) cpSync(name, join(copy, name), { recursive: true });
  // Each package separately, so that the test runner's cache belongs to the copy.
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync('node_modules')) {
    if (name.startsWith('.vite')) continue;
    symlinkSync(resolve('node_modules', name), join(copy, 'node_modules', name));
  }
}

/** The tests that fail with the mistake. */
function planted({ file, text, instead, test }: Mistake): readonly string[] {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, plantMistake(source, { text, instead }));
  try {
    return failuresOf([test]);
  } finally {
    writeFileSync(path, source);
  }
}

/** The names of failing tests; throws when no test ran. */
function failuresOf(tests: readonly string[]): readonly string[] {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const runner = join('node_modules', 'vitest', 'vitest.mjs');
  const { stderr } = spawnSync(
    process.execPath,
    [runner, 'run', '--reporter=json', `--outputFile=${report}`, ...tests],
    { cwd: copy, encoding: 'utf8' },
  );
  const { numPassedTests, testResults } = reportSchema.parse(
    JSON.parse(readFileSync(report, 'utf8')),
  );
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed');
  if (failed.length + numPassedTests === 0) {
    throw new Error(`No test of ${tests.join(', ')} ran: ${stderr}`);
  }
  return failed.map(({ fullName }) => fullName);
}
