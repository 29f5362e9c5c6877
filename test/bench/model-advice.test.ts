/** What `npm run model` advises: values that the stack accepts, as docs/scale.md has them, or that none are enough. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { readSettings } from '#infra/settings/settings.ts';
import { adviceFor } from '../../bench/model/design.ts';
import { flagsOf } from '../../bench/model/flags.ts';
import { costs } from '../../bench/model/parts.ts';
import { pageOf, parameterText } from '../../bench/model/print.ts';
import { reportOf } from '../../bench/model/report.ts';
import { meteredDemand as demand } from './metered-demand.ts';

const page = readFileSync('docs/scale.md', 'utf8');
const advised = (rate: number) => parameterText(adviceFor(rate, demand).parameters);
const numberOf = (text = '') => Number(text.replaceAll(',', ''));

/** The table of parameters: rates, the last one of a range, and what the page says of them. */
const rows = Array.from(
  page.matchAll(/^\| (?:up to )?([\d,]+) \| (none|`-c [^`]+`)[^|]* \|$/gm),
  ([, rate, text = '']): readonly [number, string] => [
    numberOf(rate),
    text === 'none' ? '' : text.slice(1, -1),
  ],
);

test('the page has parameters for rates up to the one that it promises', () => {
  expect(rows.map(([rate]) => rate)).toEqual([466, 666, 1_000, 2_000, 5_000, 10_000]);
});

test.each(rows)(
  'the page and the model have the same parameters for %d orders per second',
  (...row) => {
    const [rate, text] = row;
    expect(advised(rate)).toBe(text);
  },
);

test('each range of the page ends where the model advises a further parameter', () => {
  const names = (rate: number) => Object.keys(adviceFor(rate, demand).parameters);
  for (const [rate] of rows.slice(0, 2)) expect(names(rate + 1)).not.toEqual(names(rate));
});

test('the page has the rates at which a deployment without parameters is full, with and without a reserve', () => {
  const [, firstDay, later] =
    /takes \*\*([\d,]+) orders .* and ([\d,]+) later\*\*/.exec(page) ?? [];
  expect([numberOf(firstDay), numberOf(later)]).toEqual(rows.slice(0, 2).map(([rate]) => rate));
  const [, table, api] = /is full at ([\d,]+), and the API .* above ([\d,]+)\./.exec(page) ?? [];
  const { orders } = reportOf(100, demand, costs).deployed;
  const fullAt = (name: string) =>
    Math.round(orders.find(({ part }) => part.startsWith(name))?.fullAt ?? 0);
  expect(numberOf(table)).toBe(fullAt('table Processes: a partition'));
  expect(numberOf(api)).toBe(fullAt('API: its own throttle'));
});

test.each([1, 466, 1_000, 11_569, 20_000, 40_000, 100_000])(
  'the stack accepts all parameters for %d orders per second',
  (rate) => {
    const { parameters } = adviceFor(rate, demand);
    const { node } = new App({ context: parameters });
    expect(readSettings(node)).toMatchObject(
      Object.fromEntries(
        Object.entries(parameters).map(([name, value]) => [
          name,
          typeof value === 'string' ? JSON.parse(value) : value,
        ]),
      ),
    );
  },
);

test('a rate for which no accepted values are enough has no parameters, but the highest rate that has', () => {
  const [, beyond] = /From\n([\d,]+) on, no values/.exec(page) ?? [];
  const least = numberOf(beyond);
  expect(reportOf(least - 1, demand, costs).enoughUpTo).toBeNull();
  for (const rate of [least, 20_000, 100_000]) {
    const report = reportOf(rate, demand, costs);
    expect(report.enoughUpTo).toBe(least - 1);
    expect(pageOf(report)).toContain(
      'parameters for this rate: no values that the stack accepts are enough: they are up to 11,569 orders per second.',
    );
  }
});

test.each(['abc', '0', '-1', '1.5', '1e3', '', '100001', '0x10'])(
  'a rate %j is refused with what is allowed',
  (rate) => {
    // The parser itself refuses a value with a dash that is a word of its own.
    const asWord = rate.startsWith('-') ? [] : [['--rate', rate]];
    for (const given of [...asWord, [`--rate=${rate}`]]) {
      expect(flagsOf(given)).toMatch(
        /^--rate .*: must be a whole number of orders per second, from 1 to 100000\.\nUsage: npm run model /,
      );
    }
  },
);

test.each([
  [['--orders', '15'], /^--orders 15: must be a number of orders to meter, 10 to 10000 in tens\./],
  [['--rate', '-1'], /^Option '--rate' argument is ambiguous/],
  [['--rat', '5'], /^Unknown option '--rat'/],
  [['5'], /^Unexpected argument '5'/],
])('the options %j are refused', (given, said) => {
  expect(flagsOf(given)).toMatch(said);
});

test('without options, the model is of 1,000 orders per second', () => {
  expect(flagsOf([])).toEqual({ rate: 1_000, orders: 100, isJson: false });
  expect(flagsOf(['--rate', '20', '--orders', '10', '--json'])).toEqual({
    ...{ rate: 20, orders: 10, isJson: true },
  });
});

test('a wrong option is an error of the command, without a stack trace', () => {
  const { status, stdout, stderr } = spawnSync('node', ['bench/model.ts', '--rate', 'abc'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).not.toMatch(/^ +at /m);
});
