/** Mutation tests of the core: `npm run test:mutation`. What survives is explained in docs/mutation.md. */
import { fileURLToPath } from 'node:url';

const configFile = fileURLToPath(import.meta.resolve('./test/core/vitest.stryker.config.ts'));

export default {
  mutate: ['lib/core/**/*.ts'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile },
  concurrency: 2,
  timeoutMS: 10_000,
  // Stryker rewrites a tsconfig with an interface that TypeScript 7 no longer has; vitest needs none.
  tsconfigFile: 'none',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  jsonReporter: { fileName: 'reports/mutation.json' },
  tempDirName: 'reports/stryker-tmp',
  thresholds: { high: 95, low: 92, break: 90 },
};
