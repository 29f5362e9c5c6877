/** Builds the package and the site once, without a network where the system can take it away, and serves the site. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { preview } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the site. */
    readonly siteUrl: string;
  }
}

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const root = join(import.meta.dirname, '..', '..');
  const alone = ['unshare', '--net'];
  const canBeAlone = spawnSync('unshare', ['--net', 'true']).status === 0;
  const [program = '', ...words] = [...(canBeAlone ? alone : []), 'npm', 'run', 'docs'];
  execFileSync(program, words, { cwd: root, stdio: 'inherit' });
  const server = await preview({
    ...{ root, configFile: false, appType: 'mpa', logLevel: 'silent' },
    build: { outDir: join(root, 'dist', 'docs') },
    preview: { host: '127.0.0.1', port: 0 },
  });
  const [url] = server.resolvedUrls?.local ?? [];
  if (url === undefined) throw new Error('The site is not served.');
  provide('siteUrl', url);
  return () => server.close();
}
