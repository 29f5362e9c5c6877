import { defineConfig } from 'vitest/config';

/** For mutation tests: those of the core alone, in few random worlds, which are always the same. */
export default defineConfig({
  test: {
    include: ['test/core/**/*.test.ts'],
    env: { REEVE_RUNS: '40', REEVE_SEED: '1' },
  },
});
