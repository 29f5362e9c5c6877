import { readdirSync } from 'node:fs';

/** What mutation tests change, folder by folder, and the tests that must notice. */
export interface Folder {
  readonly name: string;
  /** The files that are changed. */
  readonly mutate: string;
  /** The tests that are run against each change. */
  readonly tests: readonly string[];
  /** The lowest score that passes, percent of the mutants that are valid. */
  readonly bar: number;
}

/** Of `test/aws`: whole systems against emulators, with waits. What they notice, quicker tests notice too. */
const slow = [
  'dead-letters',
  'dynamo-store-model',
  'lost-answers',
  'overdue',
  'queue',
  'stored-items',
  'sweeps',
  'unwritable',
  'webhook-queue',
].map((name) => `${name}.test.ts`);

/** By name: a pattern with `!(queue)` leaves `queue-batch` out as well. */
const quickAwsTests = readdirSync('test/aws')
  .filter((name) => name.endsWith('.test.ts') && !slow.includes(name))
  .map((name) => `test/aws/${name}`);

export const folders: readonly Folder[] = [
  { name: 'core', mutate: 'lib/core/**/*.ts', tests: ['test/core/**/*.test.ts'], bar: 95 },
  { name: 'roles', mutate: 'lib/roles/**/*.ts', tests: ['test/roles/**/*.test.ts'], bar: 90 },
  {
    name: 'embedded',
    mutate: 'lib/embedded/**/*.ts',
    tests: ['test/embedded/**/*.test.ts', 'test/runtime/data-commands.test.ts'],
    bar: 85,
  },
  {
    name: 'in-process',
    mutate: 'lib/in-process/**/*.ts',
    tests: ['test/in-process/**/*.test.ts'],
    bar: 85,
  },
  {
    name: 'aws',
    mutate: 'lib/aws/**/*.ts',
    tests: quickAwsTests,
    bar: 85,
  },
];
