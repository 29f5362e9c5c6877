/** Reads the declarations of an entry point of the built package with API Extractor. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

/**
 * @param dist the folder of the built package
 * @param entry the declarations of the entry point, in that folder
 * @param form the report for people, or the model as JSON, which also has the types that the exports name
 * @returns the text of the form
 */
export function extractApi(dist: string, entry: string, form: 'report' | 'model'): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-api-'));
  const made = join(folder, 'made');
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
        ...{ enabled: form === 'report', reportFileName: 'made' },
        ...{ reportFolder: folder, reportTempFolder: folder },
      },
      docModel: {
        ...{ enabled: form === 'model', apiJsonFilePath: made },
        includeForgottenExports: true,
      },
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
  const text = readFileSync(form === 'report' ? config.reportFilePath : made, 'utf8');
  rmSync(folder, { recursive: true });
  return text;
}
