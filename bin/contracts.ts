#!/usr/bin/env node
/**
 * Generates the contracts, and the OpenAPI document that the API serves: `npm run contracts`; with `-- FOLDER` the contracts alone.
 * They contain no handwritten parts.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractFiles } from '#contracts/published-documents.ts';
import { describeApi } from '#http/description/describe-api.ts';
import { operations } from '#http/requests/routing.ts';
import { apiDocument } from '#http/routes/api-document.ts';
import { workflows } from '#workflows/shipped.ts';

const folder = process.argv[2] ?? 'docs/contracts';

if (process.argv[2] === undefined) {
  const served = JSON.stringify(describeApi(), null, 2);
  writeFileSync('lib/http/description/openapi.json', `${served}\n`);
}
const names = workflows.map(({ name }) => name);
const files = contractFiles(await apiDocument(new Set(operations), [...new Set(names)]));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [file, text] of files) writeFileSync(join(folder, file), text);
console.log(`${folder}: ${[...files.keys()].join(', ')}`);
