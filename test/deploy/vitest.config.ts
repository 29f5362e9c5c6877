import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/deploy/*.suite.ts'],
    globalSetup: 'test/support/temporary-folder.ts',
    // One emulator, one stack, one after the other: what is proven here is not speed.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    bail: 1,
  },
});
