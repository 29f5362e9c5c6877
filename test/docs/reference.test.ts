/** docs/reference.md equals what the code generates. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parameterTexts } from '#infra/settings/parameter-texts.ts';
import { common } from '#infra/settings/settings.ts';
import { limitSection } from '#reference/limit-section.ts';
import { defaultText, markdownTable } from '#reference/markdown-table.ts';
import { referencePage } from '#reference/reference-page.ts';

const limitsSource = readFileSync('lib/core/model/limits.ts', 'utf8');
const page = readFileSync('docs/reference.md', 'utf8');

test('docs/reference.md is what `npm run reference` generates', () => {
  expect(page).toBe(referencePage(limitsSource));
});

test.each([
  '| `--limit <n>` | the maximum number of orders, 1 to 200 | 50 |',
  '| `PORT` | port of the API; 0 takes any free port | `4400` |',
  '| `sweepMinutes` | period of the Supervisor, 1 to 15 minutes, and so the delay of a recovery | `1` |',
  '| 5 | with --wait or --watch: the order is Undone |',
  '| 409 | `key-reused` | The idempotency key was used for another submission |',
  '| `store-closed` | The database is closed, because the process ends. |',
  '| `sweep-failed` | A sweep failed; the next one continues. | `error` |',
  '| `OrdersUndone` | Count | Orders that became Undone. |',
])('it has the line %s', (line) => {
  expect(page.split('\n')).toContain(line);
});

test.each(['completeWithinMaxMs` | 12 hours |', 'outputBytesMax` | 8 KiB |', 'stepsMax` | 64 |'])(
  'a limit has its unit: %s',
  (text) => {
    expect(page).toContain(text);
  },
);

test.each([
  'shards',
  'sweepMinutes',
  'recoveryPerSecond',
  'warmOrdersPerSecond',
  'keepDays',
  'backlogMaxSeconds',
  'batchWindowSeconds',
] as const)('the range of the parameter %s is the one that is accepted', (name) => {
  const range = /([\d,]+) to ([\d,]+)/.exec(parameterTexts[name]) ?? [];
  const [, least, most] = range.map((text) => Number(text.replaceAll(',', '')));
  expect(most).toBeGreaterThan(least ?? Number.NaN);
  const accepts = (value = Number.NaN) => common.shape[name].safeParse(value).success;
  expect([least, most].map(accepts)).toEqual([true, true]);
  expect([Number(least) - 1, Number(most) + 1].map(accepts)).toEqual([false, false]);
});

test('a limit without a comment is refused, with its name', () => {
  const without = limitsSource.replace(/ {2}\/\*\* [^\n]*\*\/\n( {2}stepsMax:)/, '$1');
  expect(without).not.toBe(limitsSource);
  expect(() => limitSection(without)).toThrow('The limit stepsMax has no doc comment.');
});

test('a cell stays one cell, and an empty default is none', () => {
  expect(markdownTable(['a'], [['x|y\nz']])).toBe('| a |\n| --- |\n| x\\|y z |');
  expect([undefined, {}, [], '', 0, ['a']].map(defaultText)).toEqual([
    ...['none', 'none', 'none', 'none'],
    ...['`0`', '`["a"]`'],
  ]);
});
