/** Mistakes of what a check and a running Reeve say of data that are damaged in part or of another definition, and of backups that are not complete. */
import { type Mistake, mistake } from './mistake.ts';

const newFile = 'lib/embedded/copies/new-file.ts';
const backupTest = 'test/embedded/backup.test.ts';
const lostPages = 'test/embedded/lost-pages.test.ts';

export const mistakesOfDamagedData: readonly Mistake[] = [
  mistake(
    'lib/embedded/integrity/verify-parts.ts',
    lostPages,
    'a lost table or index that only some writes need is not reported until one needs it',
    'damage.report({ ...part.of, reason });',
    '',
  ),
  mistake(
    'lib/embedded/integrity/examine-rows.ts',
    lostPages,
    'a check that SQLite ends at a lost page says that a start is refused',
    'if (reason === null) throw error;',
    'if (reason !== null) throw error;',
  ),
  mistake(
    'lib/embedded/integrity/examine-rows.ts',
    lostPages,
    'a lost page of lines hides hundreds of lines before it from a check',
    'const rowsAtOnce = 50;',
    'const rowsAtOnce = 1_000;',
  ),
  mistake(
    'lib/embedded/writes.ts',
    'test/runtime/damaged-parts.test.ts',
    'an order that cannot go to Error because of damage is named by no line of the log',
    'this.#parts.damage.unstored(this.#record, error);',
    '',
  ),
  mistake(
    'lib/http/fault-problem.ts',
    'test/http/problems.test.ts',
    'damaged data are a defect of Reeve to the one who asks for them',
    "if (error instanceof CorruptDataError) return problem('store-damaged', damagedDetail);",
    '',
  ),
  mistake(
    'lib/embedded/copies/backup.ts',
    backupTest,
    'a backup has its name before it is complete',
    'const part = partOf(to);',
    'const part = to;',
  ),
  mistake(
    newFile,
    backupTest,
    'two backups of one name are written to one file',
    "randomBytes(4).toString('hex')",
    "randomBytes(0).toString('hex')}0123abcd${''",
  ),
  mistake(
    newFile,
    backupTest,
    'a backup replaces a file that came into being while it was made',
    'link(part, file);',
    'renameSync(part, file); void link;',
  ),
  mistake(
    newFile,
    backupTest,
    'a backup deletes one that another process makes at the same time',
    '?? nowMs) < nowMs - leftAfterMs',
    '?? nowMs) < nowMs + leftAfterMs',
  ),
  mistake(
    newFile,
    'test/embedded/durable-copies.test.ts',
    'a power cut leaves an incomplete backup under its name',
    "onFile('Cannot write the backup', file, () => onDisk(part));",
    '',
  ),
  mistake(
    'lib/runtime/local/activity/missing-definitions.ts',
    'test/runtime/missing-definitions.test.ts',
    'a start does not say that orders in Error are of a definition that was changed under its version',
    'registry.of(record) !== undefined',
    'registry.version(record.workflow, record.workflowVersion) !== undefined',
  ),
  mistake(
    'lib/runtime/local/activity/load.ts',
    'test/runtime/missing-definitions.test.ts',
    'a start does not say that the definition of orders in Error is missing',
    'other.counted?.();',
    '',
  ),
  mistake(
    'lib/embedded/write-state.ts',
    'test/runtime/log-levels.test.ts',
    'at the usual level, the log says nothing of a disk that refuses all writes',
    'log.error(condition, {',
    'log.info(condition, {',
  ),
  mistake(
    'lib/embedded/integrity/totals-check.ts',
    'test/embedded/examine.test.ts',
    'data of the first start that lost their log and their totals file are sound',
    "return { kind: 'goOn', from: stored.totals, report };",
    "return { kind: 'goOn', from: stored.totals, report: stored.totals.commits <= 1 ? null : report };",
  ),
  mistake(
    'lib/embedded/open-database.ts',
    'test/embedded/killed-start.test.ts',
    'the first start makes the totals file after its commit, so that a kill between the two is a loss',
    'file.write(from);',
    '',
  ),
  mistake(
    'lib/embedded/integrity/totals-check.ts',
    'test/embedded/killed-start.test.ts',
    'a first start that is killed before its commit is a loss',
    'if (file.commits === 0) return',
    'if (file.commits < 0) return',
  ),
  mistake(
    'lib/embedded/integrity/totals-file.ts',
    'test/embedded/totals-file.test.ts',
    'the first write of other data leaves the totals of the former data, by which a start is refused',
    'if (store === totals.store) {',
    'if (store !== null) {',
  ),
];
