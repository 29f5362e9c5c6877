/** Mistakes that only a process with years of data, or with broken functions of its application, shows. */
import { type Mistake, mistake } from './mistake.ts';

const statements = 'lib/embedded/statements.ts';
const statementsTest = 'test/embedded/statements.test.ts';
const listing = 'lib/embedded/tables/listing.ts';
const listingTest = 'test/embedded/listing.test.ts';
const lifeTest = 'test/embedded/store-life.test.ts';
const retention = 'lib/in-process/delete-ended-orders.ts';
const retentionTest = 'test/in-process/delete-ended-orders.test.ts';
const verify = 'lib/embedded/integrity/verify.ts';
const verifyTest = 'test/embedded/verify.test.ts';
const kept = 'lib/in-process/kept-changes.ts';
const keptTest = 'test/in-process/kept-changes.test.ts';
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
    listing,
    lifeTest,
    'a listing of few live orders ends with the newest one',
    'sql.listLive.all(processState, below, limit)',
    'sql.listLive.all(processState, below, 1)',
  ),
  mistake(
    listing,
    listingTest,
    'a listing ends with the orders that its first page looked at',
    'const end = endOfLook?.();',
    'const end = undefined;',
  ),
  mistake(
    listing,
    listingTest,
    'a listing looks at all live orders, however many they are',
    'sql.manyLive.get() === undefined',
    'sql.manyLive.get() !== null',
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
    'if (isCorrupt(error)) return;',
    'if (isCorrupt(error)) return; else throw error;',
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
  mistake(
    kept,
    keptTest,
    'a new change overtakes those of its channel that are left in the outbox',
    'if (readTo === null && stored.seq > lastRead) take(stored);',
    'if (stored.seq > lastRead) take(stored);',
  ),
  mistake(
    kept,
    keptTest,
    'a change that was read from the outbox is taken again when its commit is notified',
    'if (readTo === null && stored.seq > lastRead) take(stored);',
    'if (readTo === null) take(stored);',
  ),
  mistake(
    kept,
    keptTest,
    'all undelivered changes of a channel are in memory',
    'const hasRoom = waiting() < keptMax;',
    'const hasRoom = waiting() < Number.MAX_SAFE_INTEGER + keptMax;',
  ),
  mistake(
    'lib/in-process/change-feed.ts',
    keptTest,
    'new changes are counted beside those of the former process, and again with them',
    'if (isCounted && stored.seq > countedTo) accept(stored);',
    'if (stored.seq > countedTo) accept(stored);',
  ),
  mistake(
    'lib/in-process/order-backlogs.ts',
    keptTest,
    'orders that a receiver refuses take the room of others',
    'if (backlog.refusals === 0) waiting -= backlog.entries.length;',
    '',
  ),
  mistake(
    'lib/roles/recovery/deadline-checks.ts',
    'test/roles/recovery/deadline-checks.test.ts',
    'a deadline check that comes after an outage counts a failure',
    'return recalled.isAfterOutage;',
    'return false;',
  ),
  mistake(
    'lib/roles/recovery/deadline-checks.ts',
    'test/roles/recovery/deadline-checks.test.ts',
    'a deadline check that comes after an outage of a shard that no tick knows counts a failure',
    'isOverdueForLong(record) ? null : expired',
    'expired',
  ),
  mistake(
    'lib/roles/recovery/deadline-checks.ts',
    'test/roles/recovery/deadline-checks.test.ts',
    'a deadline check that is left to sweeps is sent again',
    'if (isLeft && isOverdueForLong(record)) return null;',
    '',
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    'test/roles/hidden-outages.test.ts',
    'a sweep that stood still counts the failures of that time',
    'hasStoodStill() && hasBecomeLate(record, reachedAt, clock.now()) ? null : known(record)',
    'known(record)',
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    'test/roles/hidden-outages.test.ts',
    'a sweep that stood still at one page goes on with the next',
    'if (!hasStoodStill()) reachedAt = begunAt;',
    'reachedAt = begunAt;',
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    'test/roles/hidden-outages.test.ts',
    'a sweep that takes long decides about no call',
    'hasStoodStill() && hasBecomeLate(record, reachedAt, clock.now())',
    'hasStoodStill()',
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    'test/roles/hidden-outages.test.ts',
    'a sweep that stood still counts as reached when it went on',
    'aliveAt: reachedAt, waitingFrom',
    'aliveAt: Math.max(reachedAt, begunAt + 86_400_000), waitingFrom',
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    'test/roles/hidden-outages.test.ts',
    'a page that asks for no write shows that the store accepts writes',
    'total.recovered > 0 ? !isRefused(page) : isLast && total.unwritten === 0',
    '!isRefused(page)',
  ),
  mistake(
    'lib/roles/recovery/sweep-shard.ts',
    'test/roles/hidden-outages.test.ts',
    'a sweep that stops early forgets what the one before it left alone',
    'earliest([memory.waitingFrom, total.waitingFrom])',
    'total.waitingFrom',
  ),
  mistake(
    'lib/roles/sweep-tick.ts',
    'test/roles/hidden-outages.test.ts',
    'a tick that waited long takes a shard with what it once recalled',
    'if (nowMs - of.recalledAt <= recalledForMs) return of;',
    'if (nowMs >= of.recalledAt) return of;',
  ),
  mistake(
    'lib/roles/recovery/shard-memory.ts',
    'test/roles/raised-shards.test.ts',
    'a new shard whose first tick died counts as swept',
    'if (unswept.length > 0) {',
    'if (unswept.length > 1) {',
  ),
];
