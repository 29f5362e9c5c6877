/** The compiled code that the command line keeps for its next start. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const run = promisify(execFile);
const damagedBytes = 100;

/** A Reeve whose cache no other process uses. */
function reeveAlone() {
  const root = mkdtempSync(join(tmpdir(), 'reeve-compiled-'));
  for (const name of ['bin/reeve.ts', 'package.json']) cpSync(name, join(root, name));
  symlinkSync(resolve('lib'), join(root, 'lib'));
  const cache = join(root, 'node_modules/.cache/reeve');
  return {
    // Without variables: one of Node's names another folder, and one excludes the cache.
    version: () => run(process.execPath, [join(root, 'bin/reeve.ts'), '--version'], { env: {} }),
    kept: () =>
      readdirSync(cache, { recursive: true, encoding: 'utf8' })
        .map((name) => join(cache, name))
        .filter((path) => statSync(path).isFile()),
  };
}

test('it is kept with the package, and compiled again where it is damaged', async () => {
  const { version, kept } = reeveAlone();
  await version();
  expect(kept().length).toBeGreaterThan(50);
  for (const path of kept()) truncateSync(path, damagedBytes);
  expect(await version()).toEqual({ stdout: `${manifest.version}\n`, stderr: '' });
  expect(kept().filter((path) => statSync(path).size === damagedBytes)).toEqual([]);
});
