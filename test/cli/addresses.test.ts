/** Which Reeve a command calls, as whom, and what it says where it does not reach it. */
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CliEnvironment } from '#cli/environment.ts';
import { onLoopback } from '../support/loopback.ts';
import {
  at,
  bytesOf,
  inError,
  look,
  looks,
  nobodyThere,
  order,
  problem,
  scenario,
} from './scenario.ts';

const api = 'https://abc123.execute-api.eu-west-1.amazonaws.com';

/** An AWS with one stack, whose API is at this address. */
function inStack(apiUrl: string, changes: Partial<CliEnvironment> = {}) {
  const signed: (string | null)[] = [];
  const world = scenario({
    aws: async () => ({
      outputs: async () => ({ ApiUrl: apiUrl }),
      async signedFetch(region) {
        signed.push(region);
        return world.world.fetch;
      },
      deadLetters: async () => ({ deadLetters: [], isComplete: true }),
    }),
    ...changes,
  });
  world.app.get('/orders', (c) => {
    // Bulk actions list by state.
    const cursor = c.req.query('state') === undefined ? 'next' : null;
    return c.json({ orders: [order()], cursor, asOf: at(1) });
  });
  return { ...world, signed };
}

test.each([
  [api, 'eu-west-1'],
  ['https://reeve.example.com', null],
])('requests to the API of a stack at %s are signed', async (apiUrl, region) => {
  const { run, signed } = inStack(apiUrl);
  expect(await run('list --stack prod')).toMatchObject({ exitCode: 0 });
  expect(signed).toEqual([region]);
});

test.each([
  ['list --stack prod', 'reeve list --stack prod --cursor next'],
  ['list --url http://there:1', 'reeve list --url http://there:1 --cursor next'],
  ['cancel --workflow w --stack prod', 'reeve cancel --stack prod --workflow w'],
])('the command that "%s" proposes calls the same Reeve', async (line, proposed) => {
  const { run } = inStack(api);
  expect((await run(line)).stdout).toContain(proposed);
});

test.each(['show o-1', 'show o-1 --watch', 'submit a.json --wait'])(
  'the commands that "%s" proposes for an order in Error call the same Reeve',
  async (line) => {
    const { app, run } = scenario({ readFile: bytesOf('{}') });
    app.post('/orders', (c) => c.json({ orderId: 'o-1', processState: 'Pending' }));
    looks(app, look(inError));
    const { stdout } = await run(`${line} --url http://there:1`);
    for (const action of ['resubmit', 'cancel']) {
      expect(stdout).toContain(`reeve ${action} --url http://there:1 o-1 `);
    }
  },
);

test('the command that a wait proposes when Reeve answers no more calls the same Reeve', async () => {
  const { app, run } = scenario({ readFile: bytesOf('{}') });
  app.post('/orders', (c) => c.json({ orderId: 'o-1', processState: 'Pending' }));
  looks(app, () => problem(500, 'internal'));
  const { stderr } = await run('submit a.json --wait --url http://there:1');
  expect(stderr).toContain('reeve show --url http://there:1 o-1\n');
});

test.each([
  ['https://abc.execute-api.cn-north-1.amazonaws.com.cn/prod', 'cn-north-1'],
  ['https://abc.execute-api.eusc-de-east-1.amazonaws.eu', 'eusc-de-east-1'],
  ['https://abc-vpce-0f1.execute-api.eu-west-1.amazonaws.com', 'eu-west-1'],
])('requests to the address %s are signed', async (url, region) => {
  const { run, signed } = inStack(api);
  await run(`list --url ${url}`);
  expect(signed).toEqual([region]);
});

test.each([
  'https://abc.execute-api.eu-west-1.amazonaws.com.example.com',
  'https://abc.execute-api.eu-west-1.amazonaws.community',
  'https://execute-api.eu-west-1.amazonaws.com',
])('requests to %s, which is not of AWS, are not signed', async (url) => {
  const { run, signed } = inStack(api);
  await run(`list --url ${url}`);
  expect(signed).toEqual([]);
});

test.each([
  ['list', 'Start it with `reeve dev MODULE`'],
  [`list --url ${api}`, 'Check AWS_REGION'],
  ['list --stack prod', 'Check AWS_REGION'],
])('where "%s" reaches no Reeve, it says what to look at', async (line, words) => {
  const { run } = inStack(api, { fetch: nobodyThere });
  expect(await run(line)).toMatchObject({ exitCode: 4, stderr: expect.stringContaining(words) });
});

test.each([
  ['list', 301],
  ['submit a.json', 302],
  ['submit a.json', 308],
])(
  '"%s" that is answered with a redirect (%i) says so, and does not follow it',
  async (line, status) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const isFirst = asked.length === 1;
      response.writeHead(isFirst ? status : 200, isFirst ? { location: '/sign-in?next=1' } : {});
      response.end('{}');
    });
    const { url, close } = await onLoopback(server);
    onTestFinished(close);
    const { run } = scenario({ fetch: globalThis.fetch, readFile: bytesOf('{}') });
    expect(await run(`${line} --url ${url} --json`)).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining(`answered with a redirect to ${url}, which is not followed`),
    });
    expect(asked).toHaveLength(1);
  },
);

test('an address with https of a server that speaks no TLS is refused in words', async () => {
  const { url, close } = await onLoopback(createServer());
  onTestFinished(close);
  const { run } = scenario({ fetch: globalThis.fetch });
  const { exitCode, stderr } = await run(`list --url ${url.replace('http:', 'https:')}`);
  expect(exitCode).toBe(4);
  expect(stderr).toContain('the server does not speak TLS there');
  expect(stderr).not.toContain('openssl');
});

test.each([' ', 'two words', 'caf\u00e9', 'a\nb'])(
  'REEVE_TOKEN "%s" is wrong usage',
  async (token) => {
    const { run, requests } = scenario({ env: { REEVE_TOKEN: token } });
    expect(await run('list')).toMatchObject({ exitCode: 2 });
    expect(requests).toEqual([]);
  },
);

describe('a command that calls no Reeve refuses the options that have no effect:', () => {
  const here = ['suppliers', 'suppliers set payment down=true', 'suppliers reset'];
  const alone = ['dev w.ts', 'start', 'completion bash', 'prove p.ts', 'check', 'backup b'];
  const commands = [...here, ...alone, 'suppliers ledger', 'token ada --role viewer', 'restore b'];
  test.each(commands)('%s', async (line) => {
    const { run, requests } = scenario();
    for (const option of ['--url http://there:1', '--stack prod']) {
      const { exitCode, stderr } = await run(`${line} ${option}`);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining(`leave out ${option.split(' ')[0]}`),
      ]);
    }
    expect(requests).toEqual([]);
  });
});
