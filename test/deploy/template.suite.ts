/** What CloudFormation gets, as a user on a machine without credentials makes it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pythonTools } from '../support/python-tools.ts';

const cfnLint = { package: 'cfn-lint', version: '1.58.0' };

const webhooks = {
  shop: {
    url: 'https://shop.example/hook',
    secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
  },
};

test.each([
  ['as it ships', []],
  ['with a webhook', ['-c', `webhooks=${JSON.stringify(webhooks)}`]],
])(
  'cdk synth %s needs no credentials, has no finding of cdk-nag, and cfn-lint is content',
  (_, context) => {
    const output = mkdtempSync(join(tmpdir(), 'reeve-synth-'));
    onTestFinished(() => rmSync(output, { recursive: true }));
    const { PATH = '' } = process.env;
    const synth = spawnSync(
      'node_modules/.bin/cdk',
      ['synth', '--quiet', '--output', output, ...context],
      {
        env: { PATH, HOME: output },
        encoding: 'utf8',
      },
    );
    expect(synth.stderr).not.toMatch(/^(ERROR|WARNING)/m);
    expect(synth.status).toBe(0);
    const template = join(output, 'Reeve.template.json');
    expect(execFileSync(pythonTools(cfnLint, 'cfn-lint'), [template], { encoding: 'utf8' })).toBe(
      '',
    );
  },
);
