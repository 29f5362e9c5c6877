#!/usr/bin/env node
/** `npm create reeve NAME`: makes a project with a workflow, its agents, a test and a proof. */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isTarget, projectManifest, targets } from './project-manifest.ts';
import { reeveSource } from './reeve-source.ts';

const help = `npm create reeve NAME [-- --target embedded|aws|both]

Makes the folder NAME with a project: a workflow, its agents, a test and a proof.

  --target embedded   Reeve runs in a process of your own, on SQLite (the default)
  --target aws        Reeve is deployed into your AWS account, by a CDK app
  --target both       the two, with the same workflow
  --reeve VERSION     the version of Reeve, or the path of its archive (default: that of this command)
`;

const { values, positionals } = given();

const [path] = positionals;
if (values.help) {
  console.log(help);
} else {
  if (path === undefined || positionals.length > 1) fail(`Give one name of a project.\n\n${help}`);
  create(resolve(path), path);
}

function create(folder: string, shown: string): void {
  const { target, reeve } = values;
  if (!isTarget(target)) fail(`--target ${target}: it must be one of ${targets.join(', ')}.`);
  const name = basename(folder);
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    fail(`${name}: the name must have lower-case letters, digits, "-", "." and "_" alone.`);
  }
  // One of the folders above it may be a file as well.
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    const isOther = statSync(above, { throwIfNoEntry: false })?.isDirectory() === false;
    if (isOther) fail(`${above} is not a folder.`);
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty.`);
  const source = reeve === undefined ? undefined : sourceOf(reeve);
  const parts = ['common', ...(target === 'both' ? ['embedded', 'aws'] : [target])];
  for (const part of parts) {
    cpSync(join(import.meta.dirname, 'template', part), folder, { recursive: true });
  }
  // npm leaves files of this name out of packages.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const versions: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, 'versions.json'), 'utf8'),
  );
  const manifest = projectManifest({ name, target, versions, reeve: source });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  console.log(`${folder} is made. Next:\n\n  cd ${word(shown)}\n  npm install\n  npm run dev\n`);
  console.log('In another terminal:\n\n  npm run order\n');
}

/** As a shell takes it. */
function word(path: string): string {
  return /^[\w./\\:@+-]+$/.test(path) ? path : `"${path}"`;
}

function sourceOf(reeve: string): string {
  try {
    return reeveSource(reeve, process.cwd());
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function given() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        target: { type: 'string', default: 'embedded' },
        reeve: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
