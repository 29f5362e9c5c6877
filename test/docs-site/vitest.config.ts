import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/docs-site/*.suite.ts'],
    globalSetup: 'test/docs-site/built-site.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each has a browser of its own, and a machine may have two cores.
    fileParallelism: false,
  },
});
