/** Python with pinned packages from PyPI, each set in its own virtual environment in the cache of node_modules. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface PythonPackage {
  readonly package: string;
  readonly version: string;
}

/**
 * The path of the program, which is installed if missing.
 *
 * @throws {Error} that names the requirements, when Python or PyPI is missing
 */
export function pythonTools({ package: name, version }: PythonPackage, program: string): string {
  const home = homeOf(`${name}-${version}`);
  const path = join(home, 'bin', program);
  if (!existsSync(path)) install(home, `${name} ${version}`, [`${name}==${version}`]);
  return path;
}

/**
 * The path of a Python with the packages of a requirements file.
 *
 * @throws {Error} as {@link pythonTools}
 */
export function pythonWith(requirements: string): string {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const home = homeOf(`requirements-${digest.slice(0, 12)}`);
  // Written last, because Python exists before the packages are installed.
  const mark = join(home, 'installed');
  if (!existsSync(mark)) {
    install(home, `what ${requirements} names`, ['--requirement', requirements]);
    mkdirSync(mark);
  }
  return join(home, 'bin', 'python');
}

const homeOf = (name: string) => resolve('node_modules', '.cache', name);

function install(home: string, what: string, packages: readonly string[]): void {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', home], { stdio: 'pipe' });
    const args = ['install', '--quiet', '--disable-pip-version-check', ...packages];
    execFileSync(join(home, 'bin', 'pip'), args, { stdio: 'pipe' });
  } catch (cause) {
    rmSync(home, { recursive: true, force: true });
    const why = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    throw new Error(
      `This test needs Python 3 with venv, and ${what} from PyPI, which could not be installed: ${why}`,
      { cause },
    );
  }
}
