/** Mistakes that only a process with years of data, or with broken functions of its application, shows. */
import { type Mistake, mistake } from './mistake.ts';

const statements = 'lib/embedded/statements.ts';
const statementsTest = 'test/embedded/statements.test.ts';
const lifeTest = 'test/embedded/store-life.test.ts';
const retention = 'lib/in-process/delete-ended-orders.ts';
const retentionTest = 'test/in-process/delete-ended-orders.test.ts';
const verify = 'lib/embedded/integrity/verify.ts';
const verifyTest = 'test/embedded/verify.test.ts';
const eventsTest = 'test/http/events.test.ts';
const guardedTest = 'test/runtime/guarded-listener.test.ts';

export const mistakesOfLongLife: readonly Mistake[] = [
  mistake(
    statements,
    statementsTest,
    'a listing of orders in Error reads all orders',
    "WHERE ProcessState IN ('Error', 'Undone') AND ProcessState = ? AND Seq > 0",
    'WHERE ProcessState = ? AND Seq > 0',
  ),
  mistake(
    'lib/embedded/sqlite-store.ts',
    lifeTest,
    'a listing of live orders ends with the newest orders',
    'return newest.length === limit ? newest : sql.listLive.all(processState, below, limit);',
    'return newest;',
  ),
  mistake(
    'lib/embedded/tables/record-writes.ts',
    lifeTest,
    'the due entry of another sweep period is not replaced',
    'due !== earlier.due',
    'earlier.texts !== undefined && due !== earlier.due',
  ),
  mistake(
    retention,
    retentionTest,
    'one batch of ended orders is deleted per pass',
    'if (hasMore) afterMs = pauseMs;',
    '',
  ),
  mistake(
    verify,
    verifyTest,
    'an order that the disk does not give ends the check',
    'if (error instanceof CorruptDataError) return;',
    'if (error instanceof CorruptDataError) return; else throw error;',
  ),
  mistake(
    'lib/http/access/still-allowed.ts',
    eventsTest,
    'a reader whose credentials cannot be checked goes on reading',
    '.catch(() => false)',
    '.catch(() => true)',
  ),
  mistake(
    'lib/http/routes/event-routes.ts',
    eventsTest,
    'an empty tenant sees the events of every tenant',
    "principal.tenant === null ? 'every tenant'",
    "(principal.tenant ?? '') === '' ? 'every tenant'",
  ),
  mistake(
    'lib/runtime/local/local-reeve.ts',
    guardedTest,
    'a listener of records that throws fails a durable write',
    "store.watchRecords(guarded('watch', listener, log))",
    'store.watchRecords(listener)',
  ),
  mistake(
    'lib/runtime/local/errors/guarded-listener.ts',
    guardedTest,
    'a listener that rejects ends the process',
    'if (result instanceof Promise) result.catch(failed);',
    '',
  ),
];
