/** Mistakes of the embedded store that a kill, a second accident, large details or a wrong clock shows. */
import { type Mistake, mistake } from './mistake.ts';

const restore = 'lib/embedded/copies/restore.ts';
const restoreTest = 'test/embedded/restore.test.ts';
const cache = 'lib/embedded/record-cache.ts';
const cacheTest = 'test/embedded/record-cache.test.ts';
const forget = 'lib/embedded/forget.ts';
const forgetTest = 'test/embedded/forget.test.ts';
const killedTest = 'test/embedded/killed-restore.test.ts';

const wholeFile = 'lib/embedded/integrity/whole-file.ts';
const unreadable = 'test/embedded/unreadable-entries.test.ts';
const refusedStart = 'test/embedded/refused-start.test.ts';

export const mistakesOfEmbeddedData: readonly Mistake[] = [
  mistake(
    restore,
    killedTest,
    'a restore moves the former totals file away with the database',
    'for (const file of [path, logPath(path), journalPath(path)])',
    'for (const file of [path, logPath(path), journalPath(path), totals])',
  ),
  mistake(
    restore,
    killedTest,
    'a restore of data without a totals file writes one only at its end',
    '(sizeOf(totals) ?? 0) === 0',
    '(sizeOf(totals) ?? 1) === 0',
  ),
  mistake(
    restore,
    restoreTest,
    'a restore replaces data that were kept before',
    'dataFiles(name).some(isThere))',
    'dataFiles(name).some(() => false))',
  ),
  mistake(
    'lib/embedded/integrity/examine.ts',
    'test/embedded/examine.test.ts',
    'the second log of which a part was lost replaces the first one',
    'isThere(name) && !isKept(name)',
    'isThere(name) && !isThere(name)',
  ),
  mistake(
    'lib/embedded/group-commit.ts',
    'test/embedded/damage-met-by-writes.test.ts',
    'damage that a write meets is not reported',
    'onRejected(error);',
    '',
  ),
  mistake(
    cache,
    cacheTest,
    'orders are kept in memory however large their details are',
    'characters >= bounds.characters / 2',
    'characters >= bounds.characters * 99',
  ),
  mistake(
    cache,
    cacheTest,
    'each write of an order counts its texts again',
    'lengthOf(entry) - lengthOf(young.get(orderId))',
    'lengthOf(entry)',
  ),
  mistake(
    forget,
    forgetTest,
    'orders of a clock that was ahead end each pass of the deletion',
    'SubmittedAt >= before && SubmittedAt <= now',
    'SubmittedAt >= before',
  ),
  mistake(
    forget,
    forgetTest,
    'one order that is too young ends a pass of the deletion',
    'young > ages.length / 2',
    'young > 0',
  ),
  mistake(
    'lib/embedded/open-database.ts',
    'test/embedded/killed-start.test.ts',
    'a start that is killed leaves tables without their totals',
    'addMissingColumns(database);',
    "addMissingColumns(database); database.exec('COMMIT; BEGIN');",
  ),
  mistake(
    'lib/runtime/local/data-commands.ts',
    'test/runtime/data-commands.test.ts',
    'a backup of damaged data is kept',
    'if (examined.findings.length === 0) publish',
    'if (examined.findings.length >= 0) publish',
  ),
  mistake(
    'lib/runtime/local/data-commands.ts',
    'test/runtime/data-commands.test.ts',
    'the file of a backup that failed is left',
    '} finally {\n    removeDatabase(part);',
    '} finally {\n    void removeDatabase;',
  ),
  mistake(
    wholeFile,
    refusedStart,
    'a database that lost its end is started with the pages that its log has',
    'if (missing > 0) {',
    'if (missing > all) {',
  ),
  mistake(
    wholeFile,
    refusedStart,
    'after a kill while the log was copied, pages that only the log has count as lost',
    '!log.pages.has(page) && page',
    'page',
  ),
  mistake(
    wholeFile,
    refusedStart,
    'an older copy of the database is started beside a log that does not continue it',
    ' && alone.commits >= now.totals.commits - log.commits',
    '',
  ),
  mistake(
    wholeFile,
    refusedStart,
    'a database of which the first page alone was overwritten is refused, though the log has that page',
    "if (said?.['integrity_check'] === 'ok') return;",
    '',
  ),
  mistake(
    'lib/embedded/open-database.ts',
    refusedStart,
    'a start finds only after it has changed the data that it cannot read what it needs',
    'assertStartReads(database, path);',
    '',
  ),
  mistake(
    'lib/embedded/integrity/start-reads.ts',
    refusedStart,
    'a start looks at no more than whether SQLite can read the undelivered changes',
    'changeNumbers(database.prepare(changeNumbersSql), 0, limits.changesPage)',
    'database.prepare(changeNumbersSql).all(0, limits.changesPage)',
  ),
  mistake(
    'lib/embedded/tables/due-entries.ts',
    unreadable,
    'an entry of the index Due that cannot be read makes the read of all fail',
    'decodeOrSkip(rows, dueOf, (_row, error) => onDamaged(error))',
    'rows.map(dueOf)',
  ),
  mistake(
    'lib/embedded/tables/due-entries.ts',
    unreadable,
    'the index Due ends with a page of which an entry cannot be read',
    'rows.length < limit',
    'entries.length < limit',
  ),
  mistake(
    'lib/embedded/tables/due-entries.ts',
    unreadable,
    'the index Due ends with a page of which no entry can be read',
    'if (last === undefined) {',
    'if (last === undefined) return { entries, cursor: null }; if (last === undefined) {',
  ),
  mistake(
    'lib/embedded/tables/due-entries.ts',
    unreadable,
    'before a start, only the first page of the index Due is read',
    '} while (cursor !== null);',
    '} while (cursor === null);',
  ),
  mistake(
    'lib/embedded/tables/agent-settings.ts',
    unreadable,
    'one row of what operators changed that cannot be read makes the read of all fail',
    'decodeOrSkip(rows, settingOf, reported)',
    'rows.map(settingOf)',
  ),
  mistake(
    'lib/embedded/live-definitions.ts',
    'test/embedded/live-definitions.test.ts',
    '`reeve dev` refuses data of which one page of orders is lost',
    'if (!isDamage(error)) throw error; return definitionsOfReadable',
    'throw error; return definitionsOfReadable',
  ),
  mistake(
    'lib/embedded/copies/backup.ts',
    'test/embedded/backup.test.ts',
    'a copy that SQLite fails without an error is not made again',
    'tries < triesMax',
    'tries < 1',
  ),
  mistake(
    'lib/embedded/read-only.ts',
    refusedStart,
    'a check deletes a log that lost its content',
    'readOnly: hasLog',
    'readOnly: false',
  ),
  mistake(
    'lambdas/front-door.ts',
    'test/lambdas/front-door.test.ts',
    'an idempotency key that is no ASCII becomes another key',
    'withAsciiKey(withReplacedBytes(withRequestAsSent(event)))',
    'withReplacedBytes(withRequestAsSent(event))',
  ),
  mistake(
    'lib/embedded/sqlite-store.ts',
    'test/embedded/linked-file.test.ts',
    'the files of a database that is a link are looked for beside the link',
    'const path = behindLink(options.path);',
    'const path = behindLink(options.path) && options.path;',
  ),
  mistake(
    'lib/embedded/copies/backup.ts',
    'test/embedded/backup.test.ts',
    'the name of a backup is taken for a URI',
    'const to = resolve(given);',
    'const to = resolve(given) && given;',
  ),
  mistake(
    'lib/embedded/copies/backup.ts',
    'test/embedded/backup.test.ts',
    'a backup goes on after its data are closed',
    'progress: assertOpen',
    'progress: () => {}',
  ),
  mistake(
    'lib/embedded/integrity/files-in-place.ts',
    'test/embedded/files-in-place.test.ts',
    'a log that is replaced is not noticed',
    '[path, logPath(path)]',
    '[path, path]',
  ),
  mistake(
    'lib/embedded/read-only.ts',
    'test/embedded/held-lock.test.ts',
    'a check of data gives its lock back at its begin',
    "file = openSync(path, 'r');",
    "file = openSync(path, 'r');\n    closeSync(openSync(path, 'r'));",
  ),
  mistake(
    'lib/embedded/folder.ts',
    'test/embedded/folder.test.ts',
    'a folder that another process makes meanwhile refuses the start',
    "if (errorCode(error) !== 'EEXIST' || !isFolder(path)) throw error;",
    'void errorCode;\n      throw error;',
  ),
];
