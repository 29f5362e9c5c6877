import { readdirSync } from 'node:fs';

/** The folders of mutation tests, with their tests and the scores that must be reached. */
export interface Folder {
  readonly name: string;
  /** The mutated files. */
  readonly mutate: string;
  /** The tests that run against each mutant. */
  readonly tests: readonly string[];
  /** The lowest passing score, percent of the valid mutants. */
  readonly bar: number;
}

/** Tests of whole systems against emulators, with waits: quicker tests kill the same mutants. */
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

/** By name: a pattern with `!(queue)` also excludes `queue-batch`. */
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
