#!/usr/bin/env node
/** Generates the contracts: `npm run contracts`, or with `-- FOLDER`. They contain no handwritten parts. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractFiles } from '#contracts/published-documents.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { orderAgents } from '#workflows/order-agents.ts';
import { workflows } from '#workflows/shipped.ts';

const folder = process.argv[2] ?? 'docs/contracts';

const files = contractFiles(await openApi());
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [file, text] of files) writeFileSync(join(folder, file), text);
console.log(`${folder}: ${[...files.keys()].join(', ')}`);

/** The OpenAPI document of the shipped Reeve's API. */
async function openApi(): Promise<unknown> {
  const log = jsonLog(systemClock, 'error', (text) => process.stderr.write(text));
  const nowhere = 'http://service.invalid';
  const services = { fraud: nowhere, inventory: nowhere, payment: nowhere, shipping: nowhere };
  const reeve = await startLocalReeve({
    workflows,
    agents: orderAgents(services, fetch),
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    log,
  });
  try {
    const options = { port: 0 };
    const { url, close } = await serveApi(reeve, options);
    try {
      return await (await fetch(`${url}/openapi.json`)).json();
    } finally {
      await close();
    }
  } finally {
    reeve.close();
  }
}
