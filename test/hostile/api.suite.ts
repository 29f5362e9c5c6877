/**
 * Thousands of requests generated from the API's own description, valid and corrupted: no answer is 5xx, and each
 * is in the description.
 */
import { spawn } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { PermanentFault } from '#ports/agent-implementation.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { namedTokens } from '#runtime/local/named-tokens.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { testLog } from '../support/log.ts';
import { pythonTools } from '../support/python-tools.ts';

const schemathesis = { package: 'schemathesis', version: '4.32.5' };
const casesMin = 2_000;
/** Created for this run. */
const token = randomUUID();

const cook = defineAgent({
  name: 'cook',
  input: z.json(),
  output: z.null(),
  undo: 'unneeded',
});

/** Accepts every document, so that orders of every kind are created; some of them fail. */
const anything = defineWorkflow({ name: 'anything', version: 1, details: z.json() })
  .step('cook', { agent: cook, onFault: 'hold', input: ({ details }) => details })
  .build();

async function serve(folder: string) {
  const log = testLog();
  const reeve = await startLocalReeve({
    workflows: [anything],
    agents: [
      {
        contract: cook,
        async perform(input) {
          const isEven = JSON.stringify(input).length % 2 === 0;
          if (isEven) throw new PermanentFault('burnt', 'It is burnt.', 'none');
          return null;
        },
      },
    ],
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    responseChannels: { shop: async () => {} },
    log,
  });
  // Named tokens, so that requests without one, or with another, are tried as well.
  const tokens = join(folder, 'tokens.json');
  const sha256 = hash('sha256', token);
  writeFileSync(tokens, JSON.stringify([{ name: 'hostile', role: 'operator', sha256 }]));
  const identify = namedTokens({ path: tokens, clock: systemClock, log });
  const options = { host: '127.0.0.1', port: 0, identify };
  const server = await serveApi(reeve, options);
  onTestFinished(async () => {
    await server.close();
    reeve.close();
  });
  return { url: server.url, log };
}

test('no generated request breaks the API or contradicts its description', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-hostile-'));
  const { url, log } = await serve(folder);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const child = spawn(
    pythonTools(schemathesis, 'schemathesis'),
    [
      'run',
      `${url}/openapi.json`,
      `--header=Authorization: Bearer ${token}`,
      '--phases=examples,coverage,fuzzing,stateful',
      '--max-examples=150',
      '--seed=20261121',
      '--continue-on-failure',
      '--suppress-health-check=all',
      '--warnings=off',
      // Streams that do not end by themselves.
      '--exclude-path-regex=/events$',
      // What fits its schema may be refused all the same: by the workflow's own schema, an unknown cursor or
      // response channel, or an order that has ended.
      '--exclude-checks=positive_data_acceptance',
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'exit');
  expect(code, said).toBe(0);
  const [, cases = '0'] = /(\d+) generated/.exec(said) ?? [];
  // The figure of docs/proof.md.
  process.stdout.write(`${cases} requests\n`);
  expect(Number(cases), said).toBeGreaterThanOrEqual(casesMin);
  expect(log.lines.filter(({ event }) => event === 'request-failed')).toEqual([]);
});
