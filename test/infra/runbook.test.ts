/** The runbook: a section for each alarm, and existing commands. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { anchorOf } from '#docs-site/heading-anchor.ts';
import { scenario } from '../cli/scenario.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { templateOf } from './scenario.ts';

const page = readFileSync('docs/runbook.md', 'utf8');
const sections = page.split(/^## /m).slice(1);
const headings = sections.map((section) => section.split('\n', 1)[0] ?? '');

test('each alarm has its section, and each section its alarm', () => {
  const webhooks = {
    shop: {
      url: 'https://shop.example/hook',
      secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf',
    },
  };
  const template = templateOf({ submissionQueue: true, webhooks }, ['elsewhere']);
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const linked = alarms.map(({ Properties }) => {
    const [, anchor] = /docs\/runbook\.md#([\w-]+)$/.exec(Properties.AlarmDescription) ?? [];
    return anchor ?? Properties.AlarmDescription;
  });
  expect(new Set(linked)).toEqual(new Set(headings.map(anchorOf)));
});

test.each(headings)(
  'the section %s has the meaning, the checks and the end of the alarm',
  (heading) => {
    const section = sections.find((text) => text.startsWith(heading)) ?? '';
    for (const part of [
      '**Meaning.**',
      '**A user notices',
      '**First look.**',
      '**Fix.**',
      '**Resolved**',
    ]) {
      expect(section).toContain(part);
    }
  },
);

const commands = codeBlocks(page)
  .flatMap(({ text }) => text.split('\n'))
  .filter((line) => line.startsWith('npx reeve '));

test.each([...new Set(commands)])('the command line knows `%s`', async (command) => {
  const askedOf: string[] = [];
  const { run } = scenario({
    env: { REEVE_STACK: 'reeve-prod' },
    aws: () => {
      askedOf.push('AWS');
      return Promise.reject(new Error('no AWS here'));
    },
  });
  // The command proceeds to AWS; unknown arguments are rejected before.
  await run(command.replace('npx reeve ', '')).catch(() => {});
  expect(askedOf).toEqual(['AWS']);
});
