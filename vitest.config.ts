import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/crash/**'],
    typecheck: { enabled: false },
    testTimeout: 20_000,
  },
});
