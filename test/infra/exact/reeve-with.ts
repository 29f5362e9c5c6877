/** A construct without code, for what does not depend on any. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { inject } from 'vitest';
import { Reeve } from '#infra/reeve.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';

/** Of the stack. */
export const env = { account: '123456789012', region: 'eu-west-1' };

/** @param give what the stack gives to it */
export function reeveWith(give: (stack: Stack) => Partial<ReeveProps>, stackName?: string) {
  const app = new App({
    context: { 'aws:cdk:bundling-stacks': [] },
    outdir: mkdtempSync(join(inject('temporaryFolder'), 'without-code-')),
  });
  const stack = new Stack(app, 'Shop', { env, ...(stackName !== undefined && { stackName }) });
  const reeve = new Reeve(stack, 'Orders', { workflows: 'missing.ts', ...give(stack) });
  return { stack, reeve };
}
