/** What operators changed of agents, in the embedded store: one row for each agent and kind of change. */
import type { DatabaseSync } from 'node:sqlite';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import { changeText, settingsOf } from '#core/definition/agent-setting-form.ts';
import type { UnreadableDataError } from '#core/model/errors.ts';
import type { GroupCommit } from '#embedded/group-commit.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { settingOf } from '#embedded/rows.ts';
import type { AgentSettingStore } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';

export const agentSettingSchema = `
  CREATE TABLE IF NOT EXISTS AgentSettings (
    Agent TEXT NOT NULL,
    Kind TEXT NOT NULL,
    Value TEXT NOT NULL,
    PRIMARY KEY (Agent, Kind)
  ) STRICT, WITHOUT ROWID;
`;

export const agentSettingsSql = 'SELECT Agent, Kind, Value FROM AgentSettings';

interface AgentSettingRowsOptions {
  readonly database: DatabaseSync;
  readonly group: GroupCommit;
  readonly damage: DamageReport;
  readonly log: Log;
}

/** A row that cannot be read is logged, and has no effect. */
export function agentSettingRows(options: AgentSettingRowsOptions): AgentSettingStore {
  const { database, group, damage, log } = options;
  const all = database.prepare(agentSettingsSql);
  const replace = database.prepare(
    'INSERT OR REPLACE INTO AgentSettings (Agent, Kind, Value) VALUES (?, ?, ?)',
  );
  const reported = (_row: unknown, { message: reason }: UnreadableDataError) =>
    damage.report({ table: 'AgentSettings', row: null, reason });
  const remove = database.prepare('DELETE FROM AgentSettings WHERE Agent = ? AND Kind = ?');
  return {
    async read() {
      const rows = damage.row('AgentSettings', 'listing', () => all.all());
      return settingsOf(decodeOrSkip(rows, settingOf, reported), ({ agent, kind }) =>
        log.error('agent-setting-unreadable', { agent, kind }),
      );
    },
    async store(agent, change) {
      const text = changeText(change);
      await group.write(() =>
        text === null ? remove.run(agent, change.kind) : replace.run(agent, change.kind, text),
      );
    },
  };
}
