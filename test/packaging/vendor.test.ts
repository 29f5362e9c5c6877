/** The copies of the AWS SDK in the package. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { packageFolder, vendor } from '#packaging/vendor.ts';

const specifier = '@aws-sdk/client-sqs';

/** A module of a user, which asks the SDK for the name of an application that is too long. */
const user = `import { SQSClient } from '${specifier}';
const client = new SQSClient({ region: 'eu-central-1', userAgentAppId: 'x'.repeat(51) });
await client.config.userAgentAppId();`;

test('the SDK writes its warnings, which it does not where it takes its own logger for one of the user', async () => {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'vendor-'));
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'lib/user.js'), user);
  await vendor({ root: process.cwd(), folder, imports: new Map([[specifier, ['lib/user.js']]]) });
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  await import(pathToFileURL(join(folder, 'lib/user.js')).href);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('userAgentAppId'));
});

test.each([
  ['node_modules/tslib/tslib.es6.mjs', 'node_modules/tslib'],
  ['node_modules/@smithy/types/dist/index.js', 'node_modules/@smithy/types'],
  [
    'node_modules/@aws-sdk/core/node_modules/@smithy/types/index.js',
    'node_modules/@aws-sdk/core/node_modules/@smithy/types',
  ],
])('the licence of %s is that of %s', (file, folder) => {
  expect(packageFolder(file)).toBe(folder);
});
