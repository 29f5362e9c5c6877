/** The template for CloudFormation, with all settings that can be combined. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { appOf, findingsOf, rows } from '../infra/covering-array.ts';
import { pythonTools } from '../support/python-tools.ts';
import { sharedBundle } from '../support/shared-bundle.ts';

const bundle = sharedBundle();
const cfnLint = { package: 'cfn-lint', version: '1.58.0' };

test('cfn-lint accepts the template of every stack of the covering array', () => {
  const output = mkdtempSync(join(tmpdir(), 'reeve-synth-'));
  onTestFinished(() => rmSync(output, { recursive: true }));
  const templates = rows.map((row, at) => {
    const folder = join(output, String(at));
    expect(findingsOf(appOf(row, folder, bundle))).toEqual([]);
    return join(folder, 'Reeve.template.json');
  });
  expect(templates.length).toBeGreaterThan(10);
  expect(execFileSync(pythonTools(cfnLint, 'cfn-lint'), templates, { encoding: 'utf8' })).toBe('');
  // Some four seconds per template.
}, 900_000);
