#!/usr/bin/env node
/**
 * Builds the packages that users install, `dist/reeve` and `dist/create-reeve`: `npm run build`. `npm pack ./dist/reeve` then makes an archive. The tree of
 * the sources stays, because parts of Reeve find each other by their paths.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPackage } from '#packaging/create-package.ts';
import { compiled, declared, roots, subpaths } from '#packaging/entry-points.ts';
import { rewriteSpecifiers, withinPackage } from '#packaging/import-specifiers.ts';
import { packageManifest, repositoryManifest } from '#packaging/manifest.ts';
import { notices } from '#packaging/notices.ts';
import { type Reachable, reachableFiles } from '#packaging/reachable-files.ts';
import { shippedCode } from '#packaging/shipped-code.ts';
import { isVendored, vendor } from '#packaging/vendor.ts';

const root = join(import.meta.dirname, '..');
const emitted = join(root, '.reeve-build');
const dist = join(root, 'dist', 'reeve');
const manifest = repositoryManifest.parse(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
);

const compilerOptions = {
  ...{ noEmit: false, outDir: emitted, rootDir: root },
  ...{ declaration: true, inlineSourceMap: true },
  rewriteRelativeImportExtensions: true,
};

for (const folder of [emitted, join(root, 'dist')])
  rmSync(folder, { recursive: true, force: true });
compile();
const code = reachableFiles(emitted, roots.map(compiled));
const types = reachableFiles(emitted, Object.values(subpaths).map(declared));
checkTypes(types);
for (const file of types.files) put(file, textOf(file));
for (const file of code.files) {
  if (file.endsWith('.json')) {
    put(file, JSON.stringify(JSON.parse(textOf(file))));
    continue;
  }
  const shipped = shippedCode(file, textOf(file));
  put(file, shipped.code);
  put(`${file}.map`, shipped.map);
}
const copied = await vendor({ root, folder: dist, imports: code.packages });
cpSync(join(root, 'lib/console/dist'), join(dist, 'lib/console/dist'), { recursive: true });
for (const file of ['LICENSE', 'README.md']) cpSync(join(root, file), join(dist, file));
writeFileSync(join(dist, 'NOTICES.txt'), notices(root, copied));
const imported = [...code.packages.keys(), ...types.packages.keys()].filter(
  (specifier) => !specifier.startsWith('node:') && !isVendored(specifier),
);
writeFileSync(
  join(dist, 'package.json'),
  `${JSON.stringify(packageManifest(manifest, imported), null, 2)}\n`,
);
rmSync(emitted, { recursive: true });
await createPackage(root, join(root, 'dist', 'create-reeve'), manifest);
console.log(`${code.files.size} modules, ${types.files.size} declarations: ${dist}`);

function compile(): void {
  const config = join(root, 'tsconfig.build.json');
  writeFileSync(
    config,
    JSON.stringify({ extends: './tsconfig.json', files: roots, include: [], compilerOptions }),
  );
  const { status } = spawnSync('tsc', ['-p', config], { stdio: 'inherit', cwd: root });
  rmSync(config);
  if (status !== 0) process.exit(1);
  for (const file of readdirSync(emitted, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    const rewritten = rewriteSpecifiers(textOf(file), withinPackage(file, manifest.imports));
    writeFileSync(join(emitted, file), rewritten);
  }
}

function textOf(file: string): string {
  return readFileSync(join(emitted, file), 'utf8');
}

function put(file: string, text: string): void {
  const path = join(dist, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Users have neither the packages that are copied, nor their types. */
function checkTypes({ packages }: Reachable): void {
  for (const [specifier, files] of packages) {
    if (!isVendored(specifier) && specifier !== 'aws-lambda') continue;
    console.error(`The types of the package need ${specifier}, in ${files.join(', ')}.`);
    process.exit(1);
  }
}
