#!/usr/bin/env node
/**
 * Builds the documentation site from docs, the README and the declarations of the built package: `npm run docs`. It needs no
 * network. With `--serve` it then serves the site on this machine.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { preview } from 'vite';
import { build } from 'vitepress';
import { apiEntries } from '#docs-site/api-model.ts';
import { contractsIndex } from '#docs-site/contracts-page.ts';
import { fileSummary } from '#docs-site/doc-comment.ts';
import { packageIndex, packagePage } from '#docs-site/package-pages.ts';
import { readmePage } from '#docs-site/readme-page.ts';
import { contractsFolder, imagesFolder } from '#docs-site/repository-links.ts';
import * as pages from '#docs-site/site-pages.ts';
import { declared } from '#packaging/entry-points.ts';
import { extractApi } from '#packaging/extract-api.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist', 'reeve');
/** What VitePress reads, and what it makes; docs/.vitepress/config.ts names both. */
const made = join(root, '.reeve-docs');
const site = join(root, 'dist', 'docs');
const { values } = parseArgs({ options: { serve: { type: 'boolean', default: false } } });

rmSync(made, { recursive: true, force: true });
for (const page of pages.sitePages) {
  const text = read(page.source);
  put(page.path, page.sections === undefined ? text : readmePage(text, page));
}
putPackage();
const contracts = readdirSync(join(root, contractsFolder)).map(
  (name) => [name, JSON.parse(read(`${contractsFolder}/${name}`))] as const,
);
put(pages.contractsPage.path, contractsIndex(new Map(contracts)));
for (const folder of [contractsFolder, imagesFolder])
  cpSync(join(root, folder), join(made, folder.replace('docs', 'public')), { recursive: true });
cpSync(join(root, 'lib/console/mark.svg'), join(made, 'public/mark.svg'));
await build(join(root, 'docs'));
rmSync(made, { recursive: true });
console.log(`The documentation site: ${site}`);
if (values.serve) await serve();

/** The pages of the exports. */
function putPackage(): void {
  const summaries = new Map<string, string>();
  const models = new Map<string, unknown>();
  for (const { entry, module } of pages.entryPages) {
    const declarations = declared(module);
    summaries.set(entry, fileSummary(readFileSync(join(dist, declarations), 'utf8')));
    models.set(entry, JSON.parse(extractApi(dist, declarations, 'model')));
  }
  const entries = apiEntries(models);
  put(pages.packagePage.path, packageIndex(summaries));
  for (const page of pages.entryPages)
    put(page.path, packagePage(page, entries, summaries.get(page.entry) ?? ''));
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function put(path: string, text: string): void {
  const file = join(made, `${path}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function serve(): Promise<void> {
  const { resolvedUrls } = await preview({
    ...{ root, configFile: false, appType: 'mpa', build: { outDir: site } },
    preview: { host: '127.0.0.1' },
  });
  console.log(resolvedUrls?.local[0]);
}
