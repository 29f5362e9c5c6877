/** Projects of users, in folders of their own, with the packed package installed from its archive. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { inject } from 'vitest';

/** What a command printed, and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** A project. */
export interface Consumer {
  readonly folder: string;
  write(path: string, text: string): void;
  /** Copies a file of test/package/programs. */
  take(program: string, as?: string): void;
  /** Runs a command with this Node and its own programs first on the path, and no other program of this repository. */
  run(command: string, ...args: readonly string[]): Ran;
}

/** Of this repository, which a user does not have. */
const ownBin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin');

/**
 * Makes a project and installs Reeve and `packages` in it.
 *
 * @param manifest what its package.json has besides
 * @throws {Error} when the installation fails
 */
export function consumer(
  packages: readonly string[],
  manifest: Readonly<Record<string, unknown>> = { type: 'module' },
): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-consumer-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const run = (command: string, ...args: readonly string[]): Ran => {
    const own = join(folder, 'node_modules', '.bin');
    const path = [dirname(process.execPath), own, ...outerPath()].join(delimiter);
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      // The home of the user has the configuration and the cache of npm.
      env: { PATH: path, HOME: process.env['HOME'] ?? folder, ...certificates() },
    });
    if (error !== undefined) throw error;
    return { code: status, output: `${stdout}${stderr}` };
  };
  write('package.json', JSON.stringify({ name: 'shop', private: true, ...manifest }));
  const install = ['--no-audit', '--no-fund', '--prefer-offline', '--save-exact'];
  const { code, output } = run('npm', 'install', ...install, inject('reeveArchive'), ...packages);
  if (code !== 0) throw new Error(output);
  return {
    folder,
    write,
    run,
    take: (program, as = program) =>
      cpSync(join(import.meta.dirname, 'programs', program), join(folder, as)),
  };
}

/** Where the machine has certificates of its own: without them npm trusts no registry behind a proxy, and tries for minutes. */
function certificates(): Readonly<Record<string, string>> {
  const names = ['NODE_EXTRA_CA_CERTS', 'npm_config_cafile'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function outerPath(): readonly string[] {
  const path = process.env['PATH'] ?? '';
  return path.split(delimiter).filter((each) => each !== ownBin);
}

/** The installed packages below a folder `node_modules`, by name. */
export function installedPackages(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name.startsWith('.')) return [];
    if (name.startsWith('@')) {
      return readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`);
    }
    return [name];
  });
}

/** The sum of the sizes of all files, bytes. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
