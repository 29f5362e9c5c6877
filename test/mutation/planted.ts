/**
 * Plants each of the listed mistakes, one at a time, and runs the test file that must fail: `npm run test:planted`.
 * It works on a copy, so that an interruption leaves no mistake behind. Exits with 1 when a mistake survives, or
 * when its text is no longer found. `--shard 2/3`: the second third of them.
 */
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
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { listShard } from '#sim/list-shard.ts';
import { plantMistake } from '#sim/mutants/plant-mistake.ts';
import type { Mistake } from './mistake.ts';
import { mistakes as allMistakes } from './mistakes.ts';

/** For runners that print nothing. */
const quiet = { watch: false, reporters: [] };
const copied = [
  ...['lib', 'lambdas', 'bin', 'create-reeve', 'test', 'docs', 'examples'],
  ...['package.json', 'README.md', 'tsconfig.json', 'vitest.config.ts'],
];

const { values: flags } = parseArgs({ options: { shard: { type: 'string', default: '1/1' } } });
const mistakes = listShard(allMistakes, flags.shard);

const copy = mkdtempSync(join(tmpdir(), 'reeve-planted-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
makeCopy();

// Tests read files of the copy by relative paths.
process.chdir(copy);
// All tests at once are slow, the gate gives them the least priority, and none of them has a mistake to meet.
const patient = await createVitest({ ...quiet, testTimeout: 900_000, hookTimeout: 900_000 });
const before = await failuresOf(patient, [...new Set(mistakes.map(({ test }) => test))]);
await patient.close();
if (before.length > 0) {
  const texts = before.map(({ name, message }) => `${name}: ${message}`);
  console.log(`These fail without any mistake:\n${texts.join('\n')}`);
  process.exit(1);
}
// One runner for all mistakes: to start one for each takes most of the time.
// Some mistakes keep tests from their end, so a long time-out, or the tests after the first one, would take most of the time.
const runner = await createVitest({ ...quiet, testTimeout: 20_000, bail: 1 });
let caught = 0;
console.log('mistake | caught by');
for (const mistake of mistakes) {
  const test = await planted(mistake);
  if (test !== undefined) caught += 1;
  console.log(`${mistake.name} | ${test === undefined ? 'SURVIVED' : `${mistake.test}: ${test}`}`);
}
await runner.close();
console.log(`${caught} of ${mistakes.length} mistakes were caught.`);
// The runner sets it to 1, because tests failed.
process.exitCode = caught < mistakes.length ? 1 : 0;

function makeCopy(): void {
  for (const name of copied) cpSync(name, join(copy, name), { recursive: true });
  // Each package separately, so that the test runner's cache belongs to the copy.
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync('node_modules')) {
    if (name.startsWith('.vite')) continue;
    symlinkSync(resolve('node_modules', name), join(copy, 'node_modules', name));
  }
}

/** The first test that fails with the mistake. */
async function planted({ file, text, instead, test }: Mistake): Promise<string | undefined> {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  write(path, plantMistake(source, { text, instead }));
  try {
    const [first] = await failuresOf(runner, [test]);
    return first?.name;
  } finally {
    write(path, source);
  }
}

function write(path: string, source: string): void {
  writeFileSync(path, source);
  runner.invalidateFile(path);
}

interface Failure {
  readonly name: string;
  readonly message: string;
}

/** The failing tests; throws when no test ran. */
async function failuresOf(of: Vitest, tests: readonly string[]): Promise<readonly Failure[]> {
  const specifications = await of.globTestSpecifications([...tests]);
  const { unhandledErrors } = await of.runTestSpecifications(specifications);
  const modules = specifications.flatMap(({ testModule }) => testModule ?? []);
  const found = modules.flatMap(({ children }) => [...children.allTests()]);
  const failed = found.filter((test) => test.result().state === 'failed');
  const hasPassed = found.some((test) => test.result().state === 'passed');
  if (failed.length === 0 && !hasPassed) {
    const errors = [...modules.flatMap((module) => module.errors()), ...unhandledErrors];
    throw new Error(`No test of ${tests.join(', ')} ran: ${JSON.stringify(errors)}`);
  }
  return failed.map((test) => ({
    name: test.fullName,
    message: test.result().errors?.[0]?.message ?? 'no error was reported',
  }));
}
