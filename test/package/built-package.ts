/** Builds the packages once and packs them, as they would be published. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of the packed `reeve`. */
    readonly reeveArchive: string;
    /** The path of the packed `create-reeve`. */
    readonly createReeveArchive: string;
  }
}

export function setup({ provide }: TestProject): void {
  const root = join(import.meta.dirname, '..', '..');
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tarball-'));
  execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' });
  const pack = (name: string) => {
    const words = ['pack', join(root, 'dist', name), '--pack-destination', folder];
    const said = execFileSync('npm', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return join(folder, said.trim());
  };
  provide('reeveArchive', pack('reeve'));
  provide('createReeveArchive', pack('create-reeve'));
}
