#!/usr/bin/env node
/**
 * Writes the API report of each entry point of the built package to docs/api: `npm run build && npm run api`. A change of what
 * users can import is a change of these files. With `--check`, it only says which of them differ.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { declared, subpaths } from '#packaging/entry-points.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist', 'reeve');
const folder = join(root, 'docs', 'api');
const made = mkdtempSync(join(tmpdir(), 'reeve-api-'));
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const different = Object.values(subpaths).filter((source) => {
  const name = `${basename(source, '.ts')}.api.md`;
  const text = reportOf(declared(source), name);
  const path = join(folder, name);
  if (values.check) return readFileSync(path, 'utf8') !== text;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
  return false;
});
if (different.length > 0) {
  console.error(`The API has changed: ${different.join(', ')}. Look at it with: npm run api`);
  process.exitCode = 1;
}

function reportOf(entry: string, name: string): string {
  const none = { logLevel: ExtractorLogLevel.None };
  const config = ExtractorConfig.prepare({
    configObjectFullPath: join(dist, 'api-extractor.json'),
    packageJsonFullPath: join(dist, 'package.json'),
    configObject: {
      projectFolder: dist,
      mainEntryPointFilePath: join(dist, entry),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            ...{ target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext' },
            ...{ types: ['node'], strict: true, skipLibCheck: true },
          },
          files: [join(dist, entry)],
        },
      },
      apiReport: {
        ...{ enabled: true, reportFileName: name, reportFolder: made, reportTempFolder: made },
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: none },
        // Stages of a release are not used, and doc comments have the form of TypeScript, not of TSDoc.
        extractorMessageReporting: { default: none },
        tsdocMessageReporting: { default: none },
      },
    },
  });
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback(message) {
      message.handled = true;
    },
  });
  return readFileSync(join(made, name), 'utf8');
}
