import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Files in memory where the system has such a folder, because syncs take most of the time of a store's tests. */
const inMemory = '/dev/shm';

/** For mutation tests: the tests of one folder, with few random worlds and histories, which are always the same. */
export default defineConfig({
  test: {
    // Files share a worker's modules, which are reloaded for each mutant: reloading the AWS SDK for every file took
    // most of the time.
    isolate: false,
    include: process.env['REEVE_MUTATION_TESTS']?.split(' ') ?? [],
    setupFiles: 'test/mutation/same-cases.ts',
    // A test that a busy machine delays must not count as a kill; Stryker ends tests that never end.
    testTimeout: 120_000,
    env: {
      REEVE_RUNS: '40',
      REEVE_SEED: '1',
      REEVE_STORE_RUNS: '12',
      ...(existsSync(inMemory) ? { TMPDIR: inMemory } : {}),
    },
  },
});
