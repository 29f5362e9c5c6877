import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/hostile/*.suite.ts'], testTimeout: 900_000 },
});
