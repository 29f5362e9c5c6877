/** Builds the package once and packs it, as it would be published. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of the packed package. */
    readonly tarball: string;
  }
}

export function setup({ provide }: TestProject): void {
  const root = join(import.meta.dirname, '..', '..');
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tarball-'));
  execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' });
  const name = execFileSync('npm', ['pack', join(root, 'dist'), '--pack-destination', folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  provide('tarball', join(folder, name.trim()));
}
