/** Programs from PyPI, each pinned, in a virtual environment of its own in the cache of node_modules. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface PythonPackage {
  readonly package: string;
  readonly version: string;
}

/**
 * The path of the program, which is installed unless it is there.
 *
 * @throws {Error} that says what is needed, where Python or PyPI is missing
 */
export function pythonTools({ package: name, version }: PythonPackage, program: string): string {
  const home = resolve('node_modules', '.cache', `${name}-${version}`);
  const path = join(home, 'bin', program);
  if (existsSync(path)) return path;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', home], { stdio: 'pipe' });
    const install = ['install', '--quiet', '--disable-pip-version-check', `${name}==${version}`];
    execFileSync(join(home, 'bin', 'pip'), install, { stdio: 'pipe' });
    return path;
  } catch (cause) {
    rmSync(home, { recursive: true, force: true });
    const why = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    throw new Error(
      `The deploy test needs Python 3 with venv, and ${name} ${version} from PyPI, which could not be installed: ${why}`,
      { cause },
    );
  }
}
