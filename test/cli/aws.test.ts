import { expect, test } from 'vitest';
import type { AwsTools, DeadLetter, DeadLetterAction } from '#cli/environment.ts';
import { at, scenario } from './scenario.ts';

const apiUrl = 'https://abc123.execute-api.eu-west-1.amazonaws.com';

interface AwsScenario {
  readonly outputs?: Readonly<Record<string, string>>;
  readonly deadLetters?: AwsTools['deadLetters'];
  readonly env?: Readonly<Record<string, string>>;
}

const holding =
  (deadLetters: readonly DeadLetter[], isComplete = true) =>
  async () => ({
    deadLetters,
    isComplete,
  });

/** An AWS with one stack, whose signature is a header that tests can see. */
function awsScenario({ outputs, deadLetters = holding([]), env = {} }: AwsScenario = {}) {
  const regions: (string | null)[] = [];
  const world = scenario({ env, aws: async () => aws });
  const aws: AwsTools = {
    async outputs(stack) {
      if (stack !== 'reeve-prod') throw new Error(`There is no stack ${stack}.`);
      return outputs ?? { ApiUrl: apiUrl, DeadLetters: '{}' };
    },
    async signedFetch(region) {
      regions.push(region);
      return (url, init) => {
        const headers = new Headers(init.headers);
        headers.set('authorization', 'AWS4-HMAC-SHA256');
        return world.world.fetch(url, { ...init, headers });
      };
    },
    deadLetters,
  };
  world.app.get('/orders', (c) => c.json({ orders: [], cursor: null }));
  return { ...world, regions };
}

test('--stack sends signed requests to the address of the stack', async () => {
  const { run, requests } = awsScenario();
  expect(await run('list --stack reeve-prod')).toMatchObject({ exitCode: 0 });
  expect(requests.map(({ url }) => url)).toEqual([`${apiUrl}/orders`]);
  expect(requests[0]?.headers.get('authorization')).toBe('AWS4-HMAC-SHA256');
});

test('REEVE_STACK names the stack if no option does', async () => {
  const { run, requests } = awsScenario({ env: { REEVE_STACK: 'reeve-prod' } });
  await run('list');
  await run('list --url http://elsewhere:1');
  expect(requests.map(({ url }) => url)).toEqual([`${apiUrl}/orders`, 'http://elsewhere:1/orders']);
});

test('an address of API Gateway is signed for its region, another one is not', async () => {
  const { run, requests, regions } = awsScenario();
  await run(`list --url ${apiUrl}`);
  await run('list --url https://reeve.example.com');
  expect(regions).toEqual(['eu-west-1']);
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
    'AWS4-HMAC-SHA256',
    null,
  ]);
});

test('a token is sent as it is, for an API with a JWT authorizer', async () => {
  const { run, requests, regions } = awsScenario({ env: { REEVE_TOKEN: 'a.b.c' } });
  await run('list --stack reeve-prod');
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer a.b.c');
  expect(regions).toEqual([]);
});

test.each([
  ['list --stack reeve-prod --url http://x', 2, 'not both'],
  ['list --stack nowhere', 4, 'There is no stack nowhere'],
  ['dlq', 2, '--stack or REEVE_STACK'],
  ['dlq redrive --url http://x', 2, '--stack or REEVE_STACK'],
])('"%s" exits %i and says what to do', async (line, exitCode, message) => {
  const found = await awsScenario().run(line);
  expect(found).toMatchObject({ exitCode, stdout: '' });
  expect(found.stderr).toContain(message);
});

test('the error for a stack that is not a Reeve says so', async () => {
  const { run } = awsScenario({ outputs: { Other: 'x' } });
  expect(await run('list --stack reeve-prod')).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('no output ApiUrl'),
  });
});

const orders = JSON.stringify({ Reeve: 'reeve-prod/Orders', ApiUrl: apiUrl, DeadLetters: '{}' });

test('--stack with a path finds the construct in the stack of another application', async () => {
  const { run, requests } = awsScenario({ outputs: { ReeveOrders: orders, Other: 'x' } });
  expect(await run('list --stack reeve-prod/Orders')).toMatchObject({ exitCode: 0 });
  expect(await run('dlq --stack reeve-prod/Orders')).toMatchObject({ exitCode: 0 });
  expect(requests.map(({ url }) => url)).toEqual([`${apiUrl}/orders`]);
});

test.each(['reeve-prod', 'reeve-prod/Returns'])(
  'the error for %s names the Reeves that the stack has',
  async (stack) => {
    const { run } = awsScenario({ outputs: { ReeveOrders: orders, Other: '{' } });
    expect(await run(`list --stack ${stack}`)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('It has reeve-prod/Orders'),
    });
  },
);

const order = {
  orderId: 'o-1',
  workflow: 'house',
  workflowVersion: 1,
  processState: 'Pending',
  direction: 'forward',
  submittedAt: at(0),
  updatedAt: at(0),
  fault: null,
  lockedBy: null,
  completeBy: null,
  failureCount: 0,
  priority: 'normal',
  tenant: null,
  notBefore: at(0),
  revision: 1,
  steps: {},
  history: [],
};

/** Dead letters with the given fates, and what was done with them. */
function deadLetterScenario(
  fates: readonly DeadLetterAction['kind'][],
  {
    refuse = false,
    isComplete = true,
    orderOf = (number: number): string => (number === 0 ? 'o-1' : 'gone'),
  } = {},
) {
  const done: string[] = [];
  const released: number[] = [];
  const seen: unknown[] = [];
  const deadLetters = fates.map((kind, number): DeadLetter => {
    const act = (what: string) => async () => {
      if (refuse) throw new Error('the queue is away');
      done.push(`${what} ${number}`);
    };
    return {
      queue: 'Ready',
      kind: 'nudge',
      reason: 'gave up after 5 receives',
      subject: { orderId: orderOf(number) },
      fate: (now) => {
        seen.push(now?.processState ?? null);
        return { kind, why: `Because ${number}.` };
      },
      body: `body ${number}`,
      sendBack: act('sent'),
      discard: act('deleted'),
      release: async () => {
        released.push(number);
      },
    };
  });
  const world = awsScenario({ deadLetters: holding(deadLetters, isComplete) });
  world.app.get('/orders/o-1', (c) => c.json(order));
  world.app.get('/orders/many-3', (c) => c.json({ ...order, orderId: 'many-3' }));
  world.app.get('/orders/:id', (c) =>
    c.json({ title: 'No', detail: 'No.', code: 'order-unknown' }, 404),
  );
  return { ...world, done, released, seen };
}

test('dlq shows each dead letter with the action that its order needs, and changes nothing', async () => {
  const { run, done, released, seen } = deadLetterScenario(['redrive', 'discard', 'keep']);
  const { exitCode, stdout } = await run('dlq --stack reeve-prod');
  expect(exitCode).toBe(0);
  for (const word of ['Ready', 'o-1', 'gave up after 5', 'send back', 'delete', 'keep']) {
    expect(stdout).toContain(word);
  }
  expect(stdout).toContain('3 in all');
  expect(seen).toEqual(['Pending', null, null]);
  expect(done).toEqual([]);
  // The next run must find the same dead letters.
  expect(released).toEqual([0, 1, 2]);
});

test('dlq reads the orders of many dead letters, each once', async () => {
  const fates = Array.from({ length: 25 }, () => 'discard' as const);
  const { run, requests, seen } = deadLetterScenario(fates, { orderOf: (at) => `many-${at % 23}` });
  expect((await run('dlq --stack reeve-prod')).stdout).toContain('25 in all');
  expect(new Set(requests.map(({ url }) => url)).size).toBe(23);
  expect(requests).toHaveLength(23);
  expect(seen).toEqual(fates.map((_, at) => (at % 23 === 3 ? 'Pending' : null)));
});

test('dlq says when there are more dead letters than it shows', async () => {
  const { run } = deadLetterScenario(['keep'], { isComplete: false });
  expect((await run('dlq --stack reeve-prod')).stdout).toContain(
    'run the command again for the rest',
  );
});

test('dlq redrive without --yes only shows what it would do', async () => {
  const { run, done } = deadLetterScenario(['redrive', 'discard']);
  const { stdout } = await run('dlq redrive --stack reeve-prod');
  expect(stdout).toContain('1 to send back');
  expect(done).toEqual([]);
});

test('dlq redrive --yes does what each dead letter needs, and prints it', async () => {
  const { run, done, released } = deadLetterScenario(['redrive', 'discard', 'keep']);
  const { exitCode, stdout } = await run('dlq redrive --yes --stack reeve-prod');
  expect(exitCode).toBe(0);
  expect(done).toEqual(['sent 0', 'deleted 1']);
  expect(released).toEqual([2]);
  expect(stdout).toContain('3 in all: 1 sent back, 1 deleted, 1 kept.');
});

test('an action that failed is printed, with exit code 4', async () => {
  const { run, released } = deadLetterScenario(['redrive', 'keep'], { refuse: true });
  const { exitCode, stdout } = await run('dlq redrive --yes --stack reeve-prod');
  expect(exitCode).toBe(4);
  // The next run must find it.
  expect(released.toSorted()).toEqual([0, 1]);
  expect(stdout).toContain('1 failed');
  expect(stdout).toContain('the queue is away');
});

test('an error of reading the queues is printed without a stack trace', async () => {
  const denied = async () => {
    throw new Error('not authorized to perform sqs:ReceiveMessage');
  };
  const { run } = awsScenario({ deadLetters: denied });
  const { exitCode, stdout, stderr } = await run('dlq redrive --yes --stack reeve-prod');
  expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(stderr).toContain('not authorized to perform sqs:ReceiveMessage');
  expect(stderr).not.toMatch(/^ +at /m);
});

test('no control character of a reason reaches the terminal', async () => {
  const deadLetter: DeadLetter = {
    queue: 'Replies-payment',
    kind: 'reply',
    reason: 'is invalid at \u009b2J\nfield',
    subject: null,
    fate: () => ({ kind: 'keep', why: 'It cannot be read.' }),
    body: '?',
    sendBack: async () => {},
    discard: async () => {},
    release: async () => {},
  };
  const { run } = awsScenario({ deadLetters: holding([deadLetter]) });
  const { stdout } = await run('dlq --stack reeve-prod');
  expect(stdout).toContain('is invalid at  2J field');
});

test('dlq says why no address of SQS could be reached, of which the whole has no message', async () => {
  const refused = ['10.0.0.1', '10.0.0.2'].map((at) => new Error(`connect ETIMEDOUT ${at}:443`));
  const { run } = awsScenario({ deadLetters: () => Promise.reject(new AggregateError(refused)) });
  expect((await run('dlq --stack reeve-prod')).stderr).toContain(
    'The dead letters cannot be read: connect ETIMEDOUT 10.0.0.1:443; connect ETIMEDOUT 10.0.0.2:443\n',
  );
});

test('--json prints the dead letters for programs', async () => {
  const { run } = deadLetterScenario(['keep']);
  const { stdout } = await run('dlq --json --stack reeve-prod');
  expect(JSON.parse(stdout)).toEqual({
    deadLetters: [
      {
        queue: 'Ready',
        kind: 'nudge',
        reason: 'gave up after 5 receives',
        subject: { orderId: 'o-1' },
        fate: 'keep',
        why: 'Because 0.',
        outcome: null,
        body: 'body 0',
      },
    ],
    isComplete: true,
  });
});

test('commands of the suppliers do not read the stack', async () => {
  const { run, app } = awsScenario({ env: { REEVE_STACK: 'nowhere' } });
  app.get('/ledger', (c) => c.json({ entries: [] }));
  expect(await run('suppliers ledger')).toMatchObject({ exitCode: 0, stderr: '' });
});

test('dlq says when there are no dead letters', async () => {
  expect((await awsScenario().run('dlq --stack reeve-prod')).stdout).toBe('No dead letters.\n');
});
