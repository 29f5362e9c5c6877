/** Workflows that call exactly these agents, as the module that a stack with them needs. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const definition = (name: string) => `
  defineWorkflow({ name: ${JSON.stringify(`w-${name}`.slice(0, 40))}, version: 1, details: nothing })
    .step('call', {
      agent: defineAgent({ name: ${JSON.stringify(name)}, input: nothing, output: nothing, undo: 'unneeded' }),
      completeWithin: 5_000,
      input: () => ({}),
    })
    .build(),`;

/** By agents: a module is built and run once. */
const known = new Map<string, string>();

/** The path of the module. */
export function workflowsOf(agents: readonly string[]): string {
  const key = agents.join();
  const found = known.get(key) ?? write(agents);
  known.set(key, found);
  return found;
}

function write(agents: readonly string[]): string {
  const file = join(mkdtempSync(join(inject('temporaryFolder'), 'workflows-')), 'workflows.mjs');
  writeFileSync(
    file,
    `import * as z from ${JSON.stringify(fileURLToPath(import.meta.resolve('zod')))};
import { defineAgent } from ${JSON.stringify(resolve('lib/core/definition/agent.ts'))};
import { defineWorkflow } from ${JSON.stringify(resolve('lib/core/definition/workflow.ts'))};
const nothing = z.strictObject({});
export const workflows = [${agents.map(definition).join('')}
];
`,
  );
  return file;
}
