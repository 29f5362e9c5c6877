/** The template for CloudFormation, with all settings that can be combined. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { appOf, rows } from '../infra/covering-array.ts';
import { foreignStack } from '../infra/foreign-stack.ts';
import { withEachValue } from '../support/pairwise.ts';
import { pythonTools } from '../support/python-tools.ts';
import { sharedBundle } from '../support/shared-bundle.ts';

const bundle = sharedBundle();
const run = promisify(execFile);
const cfnLint = { package: 'cfn-lint', version: '1.58.0' };

test('cfn-lint accepts templates with each value of each setting', async () => {
  const output = mkdtempSync(join(tmpdir(), 'reeve-synth-'));
  onTestFinished(() => rmSync(output, { recursive: true }));
  // test/infra/covering-array.test.ts synthesises each pair of values and checks it with cdk-nag. To lint those as well takes minutes.
  const templates = withEachValue(rows).map((row, at) => {
    const folder = join(output, String(at));
    appOf(row, folder, bundle).synth();
    return join(folder, 'Reeve.template.json');
  });
  expect(templates.length).toBeGreaterThanOrEqual(3);
  const program = pythonTools(cfnLint, 'cfn-lint');
  const half = Math.ceil(templates.length / 2);
  // Some four seconds per template, so in two processes.
  const findings = await Promise.all(
    [templates.slice(0, half), templates.slice(half)].map((part) => run(program, part)),
  );
  expect(findings.map(({ stdout }) => stdout)).toEqual(['', '']);
}, 900_000);

test('cfn-lint accepts two Reeves in the stack of another application', async () => {
  const outdir = mkdtempSync(join(tmpdir(), 'reeve-synth-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const context = { 'aws:cdk:disable-asset-staging': true };
  foreignStack({ bundle, outdir, context }).app.synth();
  // The CDK makes a function depend on its role's policies too, which cfn-lint reports as redundant.
  const args = ['--ignore-checks', 'W3005', '--', join(outdir, 'Shop.template.json')];
  const { stdout } = await run(pythonTools(cfnLint, 'cfn-lint'), args);
  expect(stdout).toBe('');
}, 300_000);
