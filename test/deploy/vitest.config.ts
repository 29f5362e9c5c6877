import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/deploy/*.suite.ts'],
    globalSetup: 'test/support/temporary-folder.ts',
    // One emulator and one stack, so the suites run in sequence.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    bail: 1,
  },
});
