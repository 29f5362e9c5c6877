/**
 * One folder for a whole test run, deleted at its end. Modules that several test files import create their files in
 * it: a worker loads such a module once, so that no single file can delete them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Its path. */
    readonly temporaryFolder: string;
  }
}

/** Called by the test runner before the first test (`globalSetup`); returns the cleanup after the last one. */
export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tests-'));
  provide('temporaryFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
