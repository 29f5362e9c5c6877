import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/dynamodb-local/*.suite.ts'],
    testTimeout: 60_000,
    hookTimeout: 240_000,
  },
});
