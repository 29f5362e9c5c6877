/** Mistakes in limits that operators change while orders run. */
import { type Mistake, mistake } from './mistake.ts';

const settings = 'lib/core/definition/agent-settings.ts';
const bucket = 'lib/in-process/limits/limit-bucket.ts';
const control = 'lib/roles/limit-control.ts';
const changed = 'test/runtime/changed-limits.test.ts';
const counted = 'lib/distributed/limits/counted-limits.ts';
const rooms = 'lib/distributed/limits/room-leases.ts';
const shares = 'test/distributed/limits/room-leases.test.ts';
const asked = 'test/distributed/limits/shared-limits.test.ts';

export const mistakesOfChangedLimits: readonly Mistake[] = [
  mistake(settings, changed, 'a changed rate is not in force', '(own.rate ?? rate)', 'rate'),
  mistake(
    settings,
    changed,
    'a changed number of calls at once is not in force',
    '(own.atOnce ?? atOnce)',
    'atOnce',
  ),
  mistake(
    bucket,
    changed,
    'a rate that is changed twice keeps to the first change',
    'known = now;',
    '',
  ),
  mistake(
    control,
    changed,
    'a rate is set for a limit that has none',
    'request.rate !== undefined && rate === null',
    'false',
  ),
  mistake(
    control,
    changed,
    'the amount that operators set is out of range',
    'checkAmount(name, request);',
    '',
  ),
  mistake(
    control,
    changed,
    'operators set more calls at once than the items of the limit have room for',
    'if (request.atOnce > most)',
    'if (false)',
  ),
  mistake(
    counted,
    asked,
    'functions go by the definition of a limit that was changed',
    'limit: amountOf(limit),',
    'limit,',
  ),
  mistake(
    rooms,
    shares,
    'the items of room follow a change, so that room is counted twice',
    'Math.ceil(definedMax / itemHoldersMax)',
    'Math.ceil(max / itemHoldersMax)',
  ),
  mistake(
    'lib/in-process/local-settings.ts',
    'test/in-process/local-settings.test.ts',
    'a change that was stored without an answer is not in force',
    'await store.read().then(adopt, () => {});',
    '',
  ),
  mistake(
    'lib/in-process/local-settings.ts',
    'test/in-process/local-settings.test.ts',
    'a change of which the store said nothing is never read again',
    'if (!isKnown) adopt(await store.read());',
    '',
  ),
];
