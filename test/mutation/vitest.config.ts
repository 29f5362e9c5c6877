import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Files in memory, where the system has such a folder: most of the time of a store's tests is spent on syncs. */
const inMemory = '/dev/shm';

/** For mutation tests: those of one folder, with few random worlds and histories, which are always the same. */
export default defineConfig({
  test: {
    // Files share a worker's modules, which are loaded anew for each change: loading the AWS SDK again for every file took
    // most of the time.
    isolate: false,
    include: process.env['REEVE_MUTATION_TESTS']?.split(' ') ?? [],
    setupFiles: 'test/mutation/same-cases.ts',
    // A test that a busy machine made late would count as one that noticed; what never ends is ended by Stryker.
    testTimeout: 120_000,
    env: {
      REEVE_RUNS: '40',
      REEVE_SEED: '1',
      REEVE_STORE_RUNS: '12',
      ...(existsSync(inMemory) ? { TMPDIR: inMemory } : {}),
    },
  },
});
