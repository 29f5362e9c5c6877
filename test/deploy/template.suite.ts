/** What CloudFormation gets, as a user on a machine without credentials makes it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pythonTools } from '../support/python-tools.ts';

const cfnLint = { package: 'cfn-lint', version: '1.58.0' };

test('cdk synth needs no credentials, has no finding of cdk-nag, and cfn-lint is content', () => {
  const output = mkdtempSync(join(tmpdir(), 'reeve-synth-'));
  onTestFinished(() => rmSync(output, { recursive: true }));
  const { PATH = '' } = process.env;
  const synth = spawnSync('node_modules/.bin/cdk', ['synth', '--quiet', '--output', output], {
    env: { PATH, HOME: output },
    encoding: 'utf8',
  });
  expect(synth.stderr).not.toMatch(/^(ERROR|WARNING)/m);
  expect(synth.status).toBe(0);
  const template = join(output, 'Reeve.template.json');
  expect(execFileSync(pythonTools(cfnLint, 'cfn-lint'), [template], { encoding: 'utf8' })).toBe('');
});
