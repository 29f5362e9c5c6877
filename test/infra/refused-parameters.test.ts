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
