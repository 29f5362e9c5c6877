/** What operators changed of agents, in the embedded store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { agentName } from '#core/model/ids.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import { agentSettingsContract } from '../contracts/agent-settings.ts';
import { testLog } from '../support/log.ts';

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'reeve.db');
}

const opened = (path: string, log = testLog()) => {
  const store = sqliteStore({ path, sweepPeriodMs: 1_000, log });
  onTestFinished(store.close);
  return store;
};

agentSettingsContract('SQLite', async () => {
  const store = opened(newPath());
  return { open: () => store.agentSettings };
});

test('they are there after a restart, and what cannot be read has no effect and is logged', async () => {
  const path = newPath();
  const former = opened(path);
  const drained = { by: 'olga', at: 5 };
  await former.agentSettings.store(agentName('paint'), { kind: 'drained', value: drained });
  await former.agentSettings.store(agentName('print'), { kind: 'drained', value: drained });
  former.close();
  const database = new DatabaseSync(path);
  database.exec("UPDATE AgentSettings SET Value = '{' WHERE Agent = 'print'");
  database.close();
  const log = testLog();
  const settings = await opened(path, log).agentSettings.read();
  expect([...settings]).toEqual([['paint', { drained }]]);
  const fields = { agent: 'print', kind: 'drained' };
  expect(log.lines).toContainEqual({ event: 'agent-setting-unreadable', fields });
});
