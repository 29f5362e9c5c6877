/** Whichever page the disk has lost: a start works, or it is refused and has changed no file. */
import { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { pageLost, rootOf, somewhere } from '../support/stored-data.ts';

const payment = defineAgent({
  name: 'payment',
  input: z.int(),
  output: z.string(),
  undo: 'unneeded',
});
const shop = defineWorkflow({ name: 'shop', version: 1, details: z.int() })
  .step('charge', {
    agent: payment,
    completeWithin: 1_000,
    input: ({ details }) => details,
  })
  .build();
const started = (path: string) =>
  startLocalReeve({
    workflows: [shop],
    agents: [implementAgent(payment, { perform: async () => 'x' })],
    ...{ path, log: testLog() },
  });

/** Orders that wait for an agent that takes none. `killed`: the same data as a kill leaves them. */
async function stored(): Promise<{ readonly ended: string; readonly killed: string }> {
  const path = somewhere();
  const first = await started(path);
  await first.agents.change('payment', { kind: 'drain' }, 'ada');
  await Promise.all(Array.from({ length: 100 }, (_, at) => first.submit(shop, at)));
  first.close();
  const second = await started(path);
  await Promise.all(Array.from({ length: 5 }, (_, at) => second.submit(shop, at)));
  const killed = copied(path);
  second.close();
  return { ended: path, killed };
}

function copied(path: string): string {
  const to = somewhere();
  for (const suffix of ['', '-wal', '-totals']) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, to + suffix);
  }
  return to;
}

const filesBeside = (path: string) =>
  readdirSync(dirname(path))
    .toSorted()
    .map((name) => [name, readFileSync(join(dirname(path), name)).toString('latin1')]);

/** The code with which a start on these data is refused; null when it works. */
async function refusal(path: string): Promise<unknown> {
  const before = filesBeside(path);
  try {
    (await started(path)).close();
    return null;
  } catch (error) {
    expect(filesBeside(path)).toEqual(before);
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

test('a lost first page of a table or an index, where no log is beside the database', async () => {
  const { ended } = await stored();
  const database = new DatabaseSync(ended);
  const rows = database.prepare('SELECT name FROM sqlite_schema WHERE rootpage > 0').all();
  database.close();
  const refused: string[] = [];
  for (const { name } of rows.map((row) => z.object({ name: z.string() }).parse(row))) {
    const path = copied(ended);
    pageLost(path, rootOf(path, name));
    const code = await refusal(path);
    if (code !== null) refused.push(`${name}: ${code}`);
  }
  expect(refused.toSorted()).toEqual(
    ['AgentSettings', 'Changes', 'Due', 'Totals'].map((name) => `${name}: store-damaged`),
  );
});

test('a database that lost its end beside its log, or any one page', async () => {
  const { killed } = await stored();
  const pages = readFileSync(killed).length / 4_096;
  expect(pages).toBeGreaterThan(20);
  for (let page = 1; page < pages; page += 3) {
    const cut = copied(killed);
    truncateSync(cut, page * 4_096);
    const lost = copied(killed);
    pageLost(lost, page * 4_096);
    for (const path of [cut, lost]) {
      expect([null, 'store-damaged']).toContain(await refusal(path));
    }
    if (page < pages / 2) expect(await refusal(cut)).toBe('store-damaged');
  }
});
