/** The app of `npx cdk deploy`: its stack, and the rules by which the synthesis checks it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';

const report = z.object({ pluginReports: z.array(z.object({ pluginName: z.string() })) });
const manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      displayName: z.string().optional(),
      properties: z.object({ stackName: z.string().optional() }).optional(),
    }),
  ),
});
const template = z.object({
  Resources: z.record(z.string(), z.object({ Properties: z.looseObject({}).optional() })),
});

test('a stack by the name of its stage, with the four shipped agents, checked by both sets of rules', async () => {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'app-'));
  const context = { stage: 'dev', 'aws:cdk:bundling-stacks': [] };
  await promisify(execFile)(process.execPath, ['bin/app.ts'], {
    env: { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context) },
  });
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { pluginReports } = report.parse(read('validation-report.json'));
  const names = pluginReports.map(({ pluginName }) => pluginName);
  for (const rules of ['AwsSolutions', 'Serverless']) {
    expect(names).toContainEqual(expect.stringContaining(rules));
  }
  const stacks = Object.values(manifest.parse(read('manifest.json')).artifacts).filter(
    ({ type }) => type === 'aws:cloudformation:stack',
  );
  expect(stacks.map(({ properties }) => properties?.stackName)).toEqual(['reeve-dev']);
  const { Resources } = template.parse(read('Reeve.template.json'));
  const described = Object.values(Resources).flatMap(
    ({ Properties }) => z.string().safeParse(Properties?.['Description']).data ?? [],
  );
  expect(described.filter((text) => text.startsWith('Reeve: agent'))).toEqual(
    ['fraud', 'inventory', 'payment', 'shipping'].map((name) => `Reeve: agent ${name}`),
  );
});
