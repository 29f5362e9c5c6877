/** Mistakes in the leases of slots and of room. */
import { type Mistake, mistake } from './mistake.ts';

const rateLeases = 'lib/distributed/limits/rate-leases.ts';
const rateItem = 'lib/distributed/limits/rate-item.ts';
const rates = 'test/distributed/limits/rate-leases.test.ts';
const roomItem = 'lib/distributed/limits/room-item.ts';
const knownHolders = 'lib/distributed/limits/known-holders.ts';
const goneHolders = 'lib/distributed/limits/gone-holders.ts';
const roomLeases = 'lib/distributed/limits/room-leases.ts';
const rooms = 'test/distributed/limits/room-leases.test.ts';
const many = 'test/distributed/limits/many-holders.test.ts';
const asked = 'test/distributed/limits/shared-limits.test.ts';

export const mistakesOfLeases: readonly Mistake[] = [
  mistake(rateLeases, rates, 'the burst begins later', 'slot - (burst - 1) * everyMs', 'slot'),
  mistake(
    rateItem,
    rates,
    'as many as the burst and one more begin together',
    'first + (burst - 0.5) * everyMs',
    'first + (burst + 0.5) * everyMs',
  ),
  mistake(
    rateItem,
    rates,
    'an item begins anew when its burst becomes smaller',
    'from + horizonMs + farthestMs(rate) + clockToleranceMs',
    'from + horizonMs + (rate.burst - 1 + slotsMax) * rate.everyMs + clockToleranceMs',
  ),
  mistake(
    rateItem,
    rates,
    'the calls of a burst are taken to come while its slots are ahead',
    'Math.max(0, at - (want.rate.burst - 1) * want.rate.everyMs - nowMs)',
    'at - nowMs',
  ),
  mistake(
    rateItem,
    rates,
    'past instants count as reserved',
    'known.reserved.filter((one) => one > nowMs).length',
    'known.reserved.length',
  ),
  mistake(
    rateLeases,
    rates,
    'calls that ask together can wait for as long as the first one',
    'want.horizonMs}`',
    "'any'}`",
  ),
  mistake(
    rateLeases,
    rates,
    'a spare slot is given to a call that cannot wait for it',
    'spares.take(from, Math.min(by, from + horizonMs))',
    'spares.take(from, Math.min(by, Math.max(by, horizonMs)))',
  ),
  mistake(
    rateLeases,
    rates,
    'a slot that is given back is lost',
    'rateOf(name).spares.add([{ startAt, startBy }])',
    'void [startAt, startBy, name]',
  ),
  mistake(
    'lib/distributed/limits/spare-slots.ts',
    rates,
    'a spare slot is given to a call that comes too late for it',
    'const least = clock.now() + travelMs;',
    'const least = 0;',
  ),
  mistake(knownHolders, rooms, 'a holder keeps its room after its time', 'until < nowMs ||', ''),
  mistake(
    knownHolders,
    rooms,
    'a write that was repeated gives no room',
    ' || isRepeated(come, holders)',
    '',
  ),
  mistake(
    knownHolders,
    rooms,
    'a holder loses its room at its complete-by',
    'until < nowMs ||',
    'until - 5_000 < nowMs ||',
  ),
  mistake(knownHolders, rooms, 'room of a wrong clock stays taken', ' || until > latest', ''),
  mistake(
    knownHolders,
    rooms,
    'who has gone is forgotten before it is written',
    'if (!holders.has(holder)) gone.forget(holder);',
    'gone.forget(holder);',
  ),
  mistake(
    knownHolders,
    rooms,
    'who has gone is never forgotten',
    'for (const holder of before) if (!holders.has(holder)) gone.forget(holder);',
    '',
  ),
  mistake(
    roomItem,
    rooms,
    'all that come together enter',
    'const some = new Map([...come].slice(entered.size, entered.size + count));',
    'const some = new Map(count > 0 ? come : []);',
  ),
  mistake(
    roomItem,
    rooms,
    'a full item is never asked again',
    '(isOld || used() < max)',
    'used() < max',
  ),
  mistake(
    knownHolders,
    rooms,
    'room of calls that are longer than those of this release is free',
    'limits.completeWithinMaxMs + graceMs',
    '10_000 + graceMs',
  ),
  mistake(
    knownHolders,
    many,
    'one write names all that have gone',
    'new Map(free().slice(0, namedMax))',
    'new Map(free())',
  ),
  mistake(
    knownHolders,
    many,
    'those that have gone make room for calls whose write does not name them',
    'const going = Math.min(namedMax, free().length);',
    'const going = free().length;',
  ),
  mistake(
    goneHolders,
    many,
    'all calls of an outage are remembered',
    'doubted.length > doubtedMax && oldest',
    'doubted.length < 0 && oldest',
  ),
  mistake(
    goneHolders,
    many,
    'a holder that left before an outage is forgotten in it',
    "([, why]) => why === 'doubted'",
    '() => true',
  ),
  mistake(
    knownHolders,
    asked,
    'the item of holders is not kept',
    'nowMs + longestMs + keepMs;',
    'nowMs + longestMs;',
  ),
  mistake(
    roomItem,
    rooms,
    'each call of a batch reads all items of a large limit',
    'if (looking === null || looking.at < since) {',
    'if (looking !== undefined) {',
  ),
  mistake(
    roomItem,
    rooms,
    'what was asked before a limit changed is taken for what is there',
    ' || looking.at < since',
    '',
  ),
  mistake(
    roomLeases,
    rooms,
    'a large limit is used in part',
    'Math.floor((max + at) / count)',
    'Math.floor(max / count) - 1',
  ),
  mistake(
    roomLeases,
    rooms,
    'one that comes takes the room for which others wait',
    'if (want.isBehind && item.used() >= max / 2) continue;',
    '',
  ),
  mistake(roomLeases, rooms, 'no room is scarce', 'item.used() > max / 2 ?', 'item.used() > max ?'),
  mistake(
    roomLeases,
    rooms,
    'a heartbeat takes the grace away',
    'extend(holder, until + graceMs)',
    'extend(holder, until)',
  ),
  mistake(
    roomLeases,
    rooms,
    'an item lets calls begin while another one has more than its share',
    'share.max - excess + excessOf(share)',
    'share.max',
  ),
  mistake(
    roomLeases,
    rooms,
    'what was known before a limit changed is taken for what is there',
    'item.readAt() < readSince || ',
    '',
  ),
  mistake(
    roomLeases,
    rooms,
    'what was read of a changed limit while others did not know it yet is taken for what is there',
    'since : since + inForceMs',
    'since : since',
  ),
];
