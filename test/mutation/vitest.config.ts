import { defineConfig } from 'vitest/config';

/** For mutation tests: those of one folder, with few random worlds, which are always the same. */
export default defineConfig({
  test: {
    include: process.env['REEVE_MUTATION_TESTS']?.split(' ') ?? [],
    env: { REEVE_RUNS: '40', REEVE_SEED: '1' },
  },
});
