/** All settings together: a valid setting may have a finding in combination with another one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { settingNames } from '#infra/settings/settings.ts';
import { isIn, pairsOf } from '../support/pairwise.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { appOf, factors, findingsOf, isAllowed, rows } from './covering-array.ts';

const bundle = sharedBundle();
const outdir = mkdtempSync(join(tmpdir(), 'reeve-covering-'));
afterAll(() => rmSync(outdir, { recursive: true }));

test('each setting is in the covering array, left out and given', () => {
  expect(Object.keys(factors)).toEqual(expect.arrayContaining([...settingNames]));
  for (const name of settingNames) {
    expect(factors[name]).toContain(undefined);
    expect(factors[name]?.length, name).toBeGreaterThan(1);
  }
});

test('each allowed pair of values occurs in some stack', () => {
  const pairs = pairsOf(factors, isAllowed);
  expect(pairs.length).toBeGreaterThan(400);
  expect(pairs.filter((pair) => !rows.some((row) => isIn(row, pair)))).toEqual([]);
  expect(rows.filter((row) => !isAllowed(row))).toEqual([]);
});

test.each(rows.map((row, at) => [at, row] as const))(
  'stack %i of them satisfies the limits of AWS and has no finding of cdk-nag',
  (at, row) => {
    // The synthesis throws where a limit is exceeded.
    const app = appOf(row, join(outdir, String(at)), bundle);
    expect(findingsOf(app)).toEqual([]);
  },
  // The first stack loads the rules of the CDK and of cdk-nag.
  120_000,
);

test('a finding is detected: an e-mail address without a queue for what is not delivered', () => {
  const app = appOf({ stage: 'dev', alarmEmail: 'ops@example.com' }, join(outdir, 'bad'), bundle);
  const [subscription] = app.node
    .findAll()
    .filter(({ node }) => node.path.includes('ops@example.com/Resource'));
  Reflect.set(subscription ?? {}, 'redrivePolicy', undefined);
  expect(findingsOf(app)).toEqual(['error Serverless-SNSRedrivePolicy']);
});
