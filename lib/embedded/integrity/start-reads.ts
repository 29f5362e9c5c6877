/** What every start reads of the data. A start whose reads fail is refused, so they are made before it changes anything. */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptDataError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import { agentSettingsSql } from '#embedded/tables/agent-settings.ts';
import { changeNumbers, changeNumbersSql } from '#embedded/tables/change-numbers.ts';
import { readAllDue } from '#embedded/tables/due-entries.ts';
import { damageOf } from './damage-report.ts';
import { backupOnly } from './whole-file.ts';

/** By table or index. Other damage refuses no start: it is reported when it is met, and other orders continue. */
const reads: Readonly<Record<string, (database: DatabaseSync) => void>> = {
  AgentSettings: (database) => database.prepare(agentSettingsSql).all(),
  // One page: the others are read while Reeve runs.
  Changes: (database) => changeNumbers(database.prepare(changeNumbersSql), 0, limits.changesPage),
  // All of the index, and in the pages in which the recovery reads it.
  Due: (database) => readAllDue(database, limits.startPage),
};

/** @throws {CorruptDataError} `store-damaged` */
export function assertStartReads(database: DatabaseSync, path: string): void {
  const made = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
  for (const [name, read] of Object.entries(reads)) {
    // Not there in new data, and in those of an older release.
    if (made.get(name) === undefined) continue;
    try {
      read(database);
    } catch (error) {
      const reason = damageOf(error);
      if (reason === null) throw error;
      const message = `Reeve cannot read ${name} in the state store ${path}: ${reason} ${backupOnly}`;
      throw new CorruptDataError('store-damaged', message, { cause: error });
    }
  }
}
