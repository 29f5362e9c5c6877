import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/console-browser/*.suite.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each has a browser of its own, and a machine may have two cores.
    fileParallelism: false,
  },
});
