/** The instants that `--since` and `--before` take. */
import { expect, test } from 'vitest';
import { at, scenario } from './scenario.ts';

function listing() {
  const given = scenario();
  given.app.get('/orders', (c) => c.json({ orders: [], cursor: null, asOf: at(0) }));
  return given;
}

test.each([
  ['12'],
  ['0'],
  ['2026'],
  ['2026-01'],
  ['1/2/2026'],
  ['2026-02-29'],
  ['2026-02-30'],
  ['2026-02-32'],
  ['2026-04-31T12:00:00Z'],
  ['2026-13-01'],
  ['2026-13-01T12:00'],
  ['2026-01-00'],
  ['2026-01-31T25:00:00Z'],
  ['2026-01-31T12'],
  ['2026-01-31T12:00:00+99:00'],
  ['2026-01-31Z'],
  ['2h30m'],
])('%s is neither a duration nor an instant', async (text) => {
  for (const command of [`list --since ${text}`, `cancel --before ${text} --yes`]) {
    const { run, requests } = listing();
    const { exitCode, stderr } = await run(command);
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
    expect(stderr).toContain(
      'Give a duration such as 2h, a date such as 2026-01-31, or an instant',
    );
  }
});

test.each([
  ['90s', at(-90)],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5+02:00', '2026-01-31T10:00:00.500Z'],
  ['2026-01-31T12:00:00-0130', '2026-01-31T13:30:00.000Z'],
  // Of the day of its zone, which is another one in UTC.
  ['2026-02-01T01:00:00+02:00', '2026-01-31T23:00:00.000Z'],
  ['2026-01-31T12:00', new Date(2026, 0, 31, 12).toISOString()],
])('%s is %s', async (text, since) => {
  const { run, requests } = listing();
  expect((await run(`list --since ${text}`)).exitCode).toBe(0);
  expect(requests.map(({ url }) => new URL(url).searchParams.get('since'))).toEqual([since]);
});

test.each([
  // Further back than the API has instants.
  ['--since 999999d', 'since', '1970-01-01T00:00:00.000Z'],
  ['--before 999999d', 'before', '1970-01-01T00:00:00.000Z'],
  ['--since 0001-01-01T00:00:00+02:00', 'since', '1970-01-01T00:00:00.000Z'],
  ['--before 9999-12-31T23:59:59-02:00', 'before', '9999-12-31T23:59:59.999Z'],
])('%s is an instant of the API', async (option, name, instant) => {
  const { run, requests } = listing();
  expect((await run(`list ${option}`)).exitCode).toBe(0);
  expect(requests.map(({ url }) => new URL(url).searchParams.get(name))).toEqual([instant]);
});

test.each([
  'list --state Error --state Processing',
  'list --since 2h --since 3h',
  'list --limit 1 --limit 2',
  'resubmit --agent payment --agent inventory --yes',
  'cancel --tenant a --workflow w --tenant b --yes',
  'reprioritise --held --priority low --priority high',
  'submit order.json --key a --key b',
])('%s is wrong usage: the first of two values would have no effect', async (line) => {
  const { run, requests } = listing();
  const { exitCode, stderr } = await run(line);
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
  expect(stderr).toContain('It is given twice.');
});
