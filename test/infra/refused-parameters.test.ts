/** Invalid parameters: one message, and exit code 1 of the app. */
import { execFile } from 'node:child_process';
import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { refuseUnknownParameters } from '#infra/parameter-names.ts';
import { stackWith } from './scenario.ts';

type Context = Readonly<Record<string, unknown>>;

/** As the CDK's command line starts the app: with cdk.json, its own keys and `-c`. */
const contextOf = (context: Context) => ({
  ...{ 'cli-telemetry': false, 'aws:cdk:enable-path-metadata': true, stage: 'dev' },
  ...context,
});

/** The program of `npx cdk`. */
function app(context: Context) {
  const CDK_CONTEXT_JSON = JSON.stringify(contextOf(context));
  const options = { env: { ...process.env, CDK_CONTEXT_JSON, NO_COLOR: '1' } };
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, ['bin/app.ts'], options, (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

/** The same in this process. */
function stack(context: Context) {
  const all = contextOf(context);
  refuseUnknownParameters(new App({ context: all }).node);
  const agents = ['fraud', 'inventory', 'payment', 'shipping'];
  return stackWith(
    agents.map((name) => ({ name, handler: `lambdas/agents/${name}.ts` })),
    all,
  );
}

const mustBeName = 'must be up to 40 of a-z, 0-9 and "-", of which the first is one of a-z';
const secretOf = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:';
const webhooks = (given: object) =>
  JSON.stringify({ shop: { url: 'https://shop.example/hook', ...given } });
const jwt = JSON.stringify({ issuer: 'https://id.example.com', audience: ['reeve'] });

const sentences: readonly (readonly [Context, string])[] = [
  ...['concurrency', 'services', 'responseQueues', 'webhooks', 'tags'].map(
    (name) =>
      [
        { [name]: '{"__proto__":1}' },
        `Invalid parameters: \`${name}.__proto__\` is a name that cannot be used; choose another.`,
      ] as const,
  ),
  [{ shards: '0' }, 'Invalid parameters: `shards` must be a whole number from 1 to 64.'],
  [{ shards: '0x2' }, 'Invalid parameters: `shards` must be a whole number from 1 to 64.'],
  [{ keepDays: '1e1' }, 'Invalid parameters: `keepDays` must be a whole number from 1 to 3650.'],
  [{ stage: 'test' }, 'Invalid parameters: `stage` must be one of prod, dev.'],
  [
    { priorities: '["normal","normal"]' },
    'Invalid parameters: `priorities` must contain each element only once.',
  ],
  [{ priorities: '["high"]' }, 'Invalid parameters: `priorities` must contain normal.'],
  [
    { services: '{"payment":"https://ada:secret@pay.example.com"}' },
    'Invalid parameters: `services.payment` must have no user and no password.',
  ],
  [
    { services: '{"payment":"ftp://pay.example.com"}' },
    'Invalid parameters: `services.payment` must be a URL that begins with http:// or https://.',
  ],
  [
    { services: '{"payment":"https://a.example","payment":"https://b.example"}' },
    'Invalid parameters: `services.payment` occurs more than once.',
  ],
  [
    { services: '{"parrot":"https://a.example"}' },
    'Invalid parameters: `services.parrot` is not an agent of this stack. The agents are fraud, inventory, payment, shipping.',
  ],
  [{ services: 'https://a.example' }, 'Invalid parameters: `services` must be an object.'],
  ...['shop', 'shop-1', 'shop-AbCdEfg'].map(
    (secret) =>
      [
        { webhooks: webhooks({ secretArn: `${secretOf}${secret}` }) },
        'Invalid parameters: `webhooks.shop.secretArn` must be the ARN of a secret, with the "-" and the six characters that Secrets Manager puts at its end.',
      ] as const,
  ),
  ...[
    'https://auth.example.com/oauth2',
    'https://auth.example.com/oauth2;script-src *',
    'https://auth.example.com;script-src',
    'https://*.example.com',
    'https://auth.example.com:99999',
    'http://localhost',
  ].map(
    (tokenOrigin) =>
      [
        { jwt, console: JSON.stringify({ clientId: 'c-1', tokenOrigin }) },
        'Invalid parameters: `console.tokenOrigin` must be an https origin such as https://shop.example.com, in lower case and without a path.',
      ] as const,
  ),
  ...['https://id.example.com;script-src', 'https://*', 'http://id.example.com'].map(
    (issuer) =>
      [
        { jwt: JSON.stringify({ issuer, audience: ['reeve'] }) },
        'Invalid parameters: `jwt.issuer` must be an https address with a host of a-z, 0-9, "-" and ".", and without query, fragment or user.',
      ] as const,
  ),
  ...['1s', 'Shop', 's'.repeat(41)].flatMap((name) => [
    [
      { eventChannels: JSON.stringify([name]) },
      `Invalid parameters: \`eventChannels.0\` ${mustBeName}.`,
    ] as const,
    [
      { webhooks: JSON.stringify({ [name]: {} }) },
      `Invalid parameters: \`webhooks.${name}\` as a name: ${mustBeName}`,
    ] as const,
  ]),
  [
    {
      jwt: JSON.stringify({
        issuer: 'https://id.example.com',
        audience: Array.from({ length: 51 }, (_, at) => `a${at}`),
      }),
    },
    'Invalid parameters: `jwt.audience` must',
  ],
  [{ tags: '{"team":""}' }, 'Invalid parameters: `tags.team` must'],
  [{ recovery: 'soon' }, 'Invalid parameters: `recovery` must be one of prompt, sweep.'],
  [
    { recovery: 'prompt', reservedConcurrency: '{"supervisor":14}' },
    'Invalid parameters: `reservedConcurrency.supervisor` must be 19 or more: one for each shard, and one for the tick, and 10 for deadline checks.',
  ],
  [
    { shards: '16', recoveryPerSecond: '15' },
    'Invalid parameters: `recoveryPerSecond` must be 16 or more: one for each shard.',
  ],
  [{ logDays: '31' }, 'Invalid parameters: `logDays` must be one of 1, 3, 5,'],
  [{ alarmEmail: 'me' }, 'Invalid parameters: `alarmEmail` must be an e-mail address.'],
  [{ shardz: 3 }, 'Invalid parameters: `shardz` is not a parameter (did you mean `shards`?).'],
  [{ Stage: 'dev' }, 'Invalid parameters: `Stage` is not a parameter (did you mean `stage`?).'],
  [
    { alarmemail: 'ops@example.com', colour: 'red' },
    'Invalid parameters: `alarmemail` is not a parameter (did you mean `alarmEmail`?); `colour` is not a parameter.',
  ],
];

test.each(sentences)('%j is rejected with one message', (context, sentence) => {
  let message = '';
  try {
    stack(context);
  } catch (error) {
    message = error instanceof Error ? error.message : '';
  }
  expect(message.slice(0, sentence.length)).toBe(sentence);
  expect(message).not.toContain('\n');
});

test.each([
  ['a value', { shards: '0' }],
  ['a name', { shardz: 3 }],
  ['an agent', { services: '{"parrot":"https://a.example"}' }],
])('the app ends with one line and exit code 1 for %s that is rejected', async (_, context) => {
  const { code, stderr } = await app(context);
  expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
  expect(stderr).toMatch(/^Invalid parameters: `[\w.]+` .*\.\n$/);
});

test('a value that the workflows do not allow ends the app in the same way, with a line for each step', async () => {
  const { code, stderr } = await app({ batchWindowSeconds: '2' });
  const [title, ...lines] = stderr.trimEnd().split('\n');
  expect({ code, title }).toEqual({
    code: 1,
    title: 'Validation failed with the following errors:',
  });
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(line).toContain('`batchWindowSeconds` of Reeve/Default is 2, ');
});
