import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/temporary-folder.ts',
    // Far above what a test takes on a busy machine of two cores (16 s): time is not what a test checks.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    // By default one core is left idle, which is half of a small machine.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ['test/crash/**', 'test/lambdas/**', 'test/package/**'],
          // Files share a worker's modules: to load the CDK and the AWS SDK anew for each took half of the time.
          isolate: false,
        },
      },
      {
        extends: true,
        // A function reads its environment when it is loaded, so that each of these files needs a process of its own.
        test: { name: 'functions', include: ['test/lambdas/**/*.test.ts'] },
      },
    ],
  },
});
