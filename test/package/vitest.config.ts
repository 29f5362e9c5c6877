import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/package/*.suite.ts'],
    globalSetup: ['test/support/temporary-folder.ts', 'test/package/built-package.ts'],
    // Each suite installs packages, and the machine has two cores.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
