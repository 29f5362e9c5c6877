import { expect, test } from 'vitest';
import { scenario } from './scenario.ts';

test('--help documents every command, every exit code and the environment', async () => {
  const { run } = scenario();
  const { exitCode, stdout, stderr } = await run('--help');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const commands = ['start', 'submit', 'show', 'list', 'resubmit', 'cancel', 'suppliers'];
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  for (const code of [0, 1, 2, 3, 4]) expect(stdout).toMatch(new RegExp(`^  ${code}  `, 'm'));
  expect(stdout).toContain('REEVE_TOKEN');
});

test('the help of a command shows the global options', async () => {
  const { run } = scenario();
  const { exitCode, stdout } = await run('submit --help');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('--wait');
  expect(stdout).toContain('--url');
});

test.each([
  '',
  'frobnicate',
  'submit',
  'submit a.json b.json',
  'show',
  'show o-1 --token secret',
  'list --state Running',
  'list --limit 0',
  'list --limit ten',
  'list --url localhost:4400',
  'list --url http://user:secret@localhost',
  'suppliers frobnicate',
  'suppliers set payment',
])('"%s" is wrong usage: exit code 2, something on stderr, nothing sent', async (line) => {
  const { run, requests } = scenario();
  const { exitCode, stdout, stderr } = await run(line);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).not.toBe('');
  expect(stderr).not.toContain('secret@');
  expect(requests).toEqual([]);
});

test.each([
  ['list', {}, 'http://127.0.0.1:4400/orders'],
  ['list', { REEVE_URL: '' }, 'http://127.0.0.1:4400/orders'],
  ['list', { REEVE_URL: 'http://env:2/api/' }, 'http://env:2/api/orders'],
  ['list --url https://arg:1', { REEVE_URL: 'http://env:2' }, 'https://arg:1/orders'],
  ['--url https://arg:1 list', {}, 'https://arg:1/orders'],
])('%s with the environment %j calls %s', async (line, env, url) => {
  const { app, run, requests } = scenario({ env });
  app.get('*', (c) => c.json({ orders: [], cursor: null }));
  expect((await run(line)).exitCode).toBe(0);
  expect(requests[0]?.url).toBe(url);
});

test('the token of the environment is sent as bearer', async () => {
  const { run, requests } = scenario({ env: { REEVE_TOKEN: 'secret' } });
  await run('list');
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret');
});

test('a token that no header can carry is wrong usage, and is not printed', async () => {
  const { run } = scenario({ env: { REEVE_TOKEN: 'geheim\nX-Other: 1' } });
  const { exitCode, stderr } = await run('list');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('REEVE_TOKEN');
  expect(stderr).not.toContain('geheim');
});

test('start runs Reeve with the environment and gives its exit code', async () => {
  const given: object[] = [];
  const { run, world } = scenario({
    env: { REEVE_URL: 'not an address, and not needed', PORT: '1' },
    start: async (io) => {
      given.push(io);
      return 7;
    },
  });
  expect((await run('start')).exitCode).toBe(7);
  expect(given).toEqual([
    { env: world.env, stdout: world.stdout, stderr: world.stderr, terminal: world.terminal },
  ]);
});

test('a mistake of ours is told with its stack, and is not the exit code of an ended order', async () => {
  const { run } = scenario();
  const { exitCode, stderr } = await run('start');
  expect(exitCode).toBe(4);
  expect(stderr).toMatch(/^error: Error: Reeve is not started in this test\n +at /);
});
