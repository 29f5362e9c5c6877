/** Mistakes in the stored items of limits that all instances of a deployment share. */
import type { Mistake } from './mistakes.ts';

const items = 'lib/aws/store/dynamo-limit-items.ts';
const contract = 'test/aws/dynamo-limit-items.test.ts';
const rateItem = 'lib/distributed/limits/rate-item.ts';
const rates = 'test/distributed/limits/rate-leases.test.ts';
const asked = 'test/distributed/limits/shared-limits.test.ts';

const of = (file: string, test: string, name: string, text: string, instead: string): Mistake => ({
  ...{ name, file, text, instead, test },
});

export const mistakesOfLimitItems: readonly Mistake[] = [
  of(items, contract, 'an instant moves at its bound', '#at < :before', '#at <= :before'),
  of(
    items,
    contract,
    'an instant does not move where it begins',
    '#at >= :from AND',
    '#at > :from AND',
  ),
  of(
    items,
    contract,
    'an instant begins anew where one is',
    '#at < :from OR #at > :after',
    '#at <= :from OR #at > :after',
  ),
  of(
    items,
    contract,
    'an instant of a wrong clock stays',
    ' OR #at > :after',
    ' OR (#at > :after AND #at < :from)',
  ),
  of(
    items,
    contract,
    'a move answers with the instant after it',
    'isMoved && change.kind ===',
    '!isMoved && change.kind ===',
  ),
  of(
    items,
    contract,
    'an instant expires at once',
    "'SET #at = #at + :by, #expiry = :expiry'",
    "'SET #at = #at + :by, #expiry = :from'",
  ),
  of(
    items,
    contract,
    'an item expires after a thousandth of its time',
    'const secondsOf = (atMs: number) => Math.ceil(atMs / 1_000);',
    'const secondsOf = (atMs: number) => Math.ceil(atMs / 1_000_000);',
  ),
  of(
    items,
    contract,
    'the time in milliseconds is taken for that in seconds',
    'Math.ceil(atMs / 1_000)',
    'Math.ceil(atMs)',
  ),
  of(
    items,
    contract,
    'one more holder comes than there is room for',
    'max - come.size + gone.size',
    'max - come.size + gone.size + 1',
  ),
  of(
    items,
    contract,
    'those that go make no room',
    'max - come.size + gone.size',
    'max - come.size',
  ),
  of(
    items,
    contract,
    'the first ones come in any number',
    'if (come.size > max) return { isDone: false, holders: new Map() };',
    '',
  ),
  of(
    items,
    contract,
    'the first holder replaces those of another instance',
    "ConditionExpression: 'attribute_not_exists(Holders)'",
    "ConditionExpression: 'attribute_not_exists(Missing)'",
  ),
  of(
    items,
    contract,
    'who goes need not be there',
    "...(come.size > 0 ? ['size(Holders) <= :size'] : []), ...isThere",
    '',
  ),
  of(
    items,
    contract,
    'who may have left stays',
    'const remove = [...gone.keys(), ...left].filter(',
    'const remove = [...gone.keys()].filter(',
  ),
  of(
    items,
    contract,
    'a heartbeat gives room to one that has none',
    "ConditionExpression: 'attribute_exists(Holders.#holder)'",
    "ConditionExpression: 'attribute_exists(Holders)'",
  ),
  of(
    items,
    contract,
    'a refused write answers nothing of what is stored',
    "ReturnValuesOnConditionCheckFailure: 'ALL_OLD'",
    "ReturnValuesOnConditionCheckFailure: 'NONE'",
  ),
  of(
    items,
    contract,
    'holders that come later do not keep their item',
    "[...set, '#expiry = :expiry']",
    "[...set, '#expiry = if_not_exists(#expiry, :expiry)']",
  ),
  of(
    rateItem,
    rates,
    'a slot is taken that is further ahead than the horizon',
    'from + horizonMs + (burst - 1) * everyMs;',
    'from + 2 * horizonMs + (burst - 1) * everyMs;',
  ),
  of(
    rateItem,
    rates,
    'the next slot comes as soon as the first one',
    'const to = first + taken * everyMs;',
    'const to = first + (taken - 1) * everyMs;',
  ),
  of(
    rateItem,
    rates,
    'a call that may be late has no time to arrive',
    'from + Math.max(0, arrivalMs - everyMs / 2)',
    'from',
  ),
  of(
    rateItem,
    rates,
    'one that comes passes those that wait',
    "if (isAhead && isBehind) return { kind: 'behind' };",
    '',
  ),
  of(
    rateItem,
    rates,
    'an instance asks again although it knows that there is no slot',
    "if (isAhead && askAt >= from) return { kind: 'full', freeAt: askAt };",
    '',
  ),
  of(
    rateItem,
    rates,
    'an instant of a wrong clock is waited for',
    'next >= from && next <= latestOf(want)',
    'next >= from',
  ),
  of(rateItem, asked, 'the item of a rate is not kept', 'keepUntil: to + keepMs', 'keepUntil: to'),
  of(
    rateItem,
    asked,
    'the item of a rate is not kept after a move',
    'keepUntil: before + byMs + keepMs',
    'keepUntil: before',
  ),
  of(
    rateItem,
    rates,
    'more slots are leased than there are calls for',
    'const taken = Math.min(count + more, free, slotsMax);',
    'const taken = Math.min(count + more + 5, slotsMax);',
  ),
];
