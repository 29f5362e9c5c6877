import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli } from '#cli/run-cli.ts';
import { scenario } from './scenario.ts';

test('--help documents every command, every exit code and the environment', async () => {
  const { run } = scenario();
  const { exitCode, stdout, stderr } = await run('--help');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const commands = ['start', 'submit', 'show', 'list', 'resubmit', 'cancel', 'suppliers'];
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  for (const code of [0, 1, 2, 3, 4, 5, 6]) expect(stdout).toMatch(new RegExp(`^  ${code}  `, 'm'));
  expect(stdout).toContain('REEVE_TOKEN');
});

test('the help of start, and docs/reference.md, name every variable that Reeve reads', async () => {
  const source = readFileSync('lib/runtime/local/config.ts', 'utf8');
  const variables = [...source.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name ?? '');
  expect(variables).toContain('REEVE_DATA');
  const { stdout } = await scenario().run('start --help');
  const page = readFileSync('docs/reference.md', 'utf8');
  for (const name of variables) {
    expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
    expect(page).toContain(`\`${name}\``);
  }
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
  'list --limit 201',
  'list --limit 0x10',
  'list --limit 1e2',
  `list --limit ${'9'.repeat(400)}`,
  'prove proof.ts --seeds 0x10',
  'prove proof.ts --first-seed 1e300',
  'limits set payment/rate --at-once 1e3',
  'agents weight payment 0x10',
  'suppliers set payment latencyMs=0x10',
  'suppliers set payment latencyMs=1e300',
  'suppliers set payment declineRate=-1',
  'list --url=',
  'list --stack=',
  'suppliers --suppliers-url=',
  'submit order.json --key=',
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
  ['list', { PORT: '5000' }, 'http://127.0.0.1:5000/orders'],
  ['list', { PORT: '', HOST: '' }, 'http://127.0.0.1:4400/orders'],
  ['list', { HOST: 'shop.lan', PORT: '80' }, 'http://shop.lan/orders'],
  ['list', { HOST: '0.0.0.0', PORT: '5000' }, 'http://127.0.0.1:5000/orders'],
  ['list', { HOST: '::', PORT: '5000' }, 'http://[::1]:5000/orders'],
  ['list', { HOST: 'fd00::1' }, 'http://[fd00::1]:4400/orders'],
  ['list', { PORT: '0', REEVE_URL: 'http://env:2' }, 'http://env:2/orders'],
  ['list --url http://arg:1', { PORT: 'none' }, 'http://arg:1/orders'],
  ['list', { REEVE_SUPPLIERS_PORT: '0' }, 'http://127.0.0.1:4400/orders'],
  ['suppliers', { REEVE_SUPPLIERS_PORT: '5001' }, 'http://127.0.0.1:5001/faults'],
  ['suppliers', { PORT: '0', REEVE_URL: 'none' }, 'http://127.0.0.1:4401/faults'],
])('%s with the environment %j calls %s', async (line, env, url) => {
  const { app, run, requests } = scenario({ env });
  app.get('/faults', (c) => c.json({}));
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

test('a token that no header can carry stops no command that calls no Reeve, such as the one that makes a new token', async () => {
  const { app, run } = scenario({ env: { REEVE_TOKEN: 'two words' } });
  app.get('/faults', (c) => c.json({}));
  for (const line of ['token olga --role operator', 'suppliers']) {
    expect(await run(line)).toMatchObject({ exitCode: 0, stderr: '' });
  }
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

test('a defect is reported with its stack and its own exit code', async () => {
  const { run } = scenario();
  const { exitCode, stderr } = await run('start');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^error: Error: Reeve is not started in this test\n +at /);
});

test.each([
  ['list', { PORT: '0' }, 'PORT is "0", which lets the server take any free port.'],
  ['list', { PORT: '70000' }, 'PORT is "70000", which is not a port from 1 to 65535.'],
  ['suppliers', { REEVE_SUPPLIERS_PORT: 'x' }, 'REEVE_SUPPLIERS_PORT is "x", which is not a port'],
])('%s with the environment %j is wrong usage', async (line, env, message) => {
  const { run, requests } = scenario({ env });
  const { exitCode, stderr } = await run(line);
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
  expect(stderr).toContain(message);
});

test('--version prints the version of the package, and with --json a document', async () => {
  const { run } = scenario();
  for (const line of ['--version', '-V']) {
    expect(await run(line)).toEqual({ exitCode: 0, stdout: '1.2.3\n', stderr: '' });
  }
  expect((await run('--version --json')).stdout).toBe('{"version":"1.2.3"}\n');
});

test.each(['start --url http://x', 'start --stack s', 'start --json', '--json completion bash'])(
  '%s is refused: the option would have no effect',
  async (line) => {
    const { run } = scenario();
    const { exitCode, stderr, stdout } = await run(line);
    expect(exitCode).toBe(2);
    expect(stderr + stdout).toContain('leave out --');
  },
);

test.each(['', '.', '..'])('"%s" is neither an id nor a name', async (name) => {
  const commands = [
    ['show', name],
    ['resubmit', name],
    ['cancel', name, '--yes'],
    ['reprioritise', name, '--priority', 'low'],
    ['agents', 'drain', name],
    ['agents', 'weight', name, '1'],
    ['limits', 'explain', name],
    ['limits', 'set', `${name}/per-key`, '--at-once', '1'],
    ['limits', 'reset', `payment/${name}`],
    ['suppliers', 'ledger', name],
  ];
  for (const words of commands) {
    const { world, requests } = scenario();
    // In the path of a request it would be another path.
    expect([words, await runCli(words, world), requests]).toEqual([words, 2, []]);
  }
});
