/** The content of the functions' bundles: size determines cold start and cost. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '#infra/functions/bundles.ts';
import { runEsbuildProgram } from '#infra/functions/esbuild-program.ts';
import { agents, bars, environment, roles } from '../../bench/cold-environment.ts';
import { allCode, loadedCode } from '../../bench/cold-files.ts';
import { shippedSources } from '../support/shipped-sources.ts';

const outdir = mkdtempSync(join(tmpdir(), 'reeve-bundles-'));
afterAll(() => rmSync(outdir, { recursive: true }));

let folderOf: (name: string) => string;
const fileOf = (name: string) => join(folderOf(name), 'index.mjs');
const sourceOf = (name: string) => allCode(folderOf(name));
const loadedBy = (name: string) => loadedCode(folderOf(name));
beforeAll(() => {
  folderOf = bundle(shippedSources(agents), join(outdir, 'bundles'));
  // Ten bundles in a separate process take a second on an idle machine.
});

test.each([...roles, ...agents])('%s loads no more bytes than its bar', (name) => {
  expect(loadedBy(name).length).toBeLessThanOrEqual(bars.bytes(name));
});

test.each([...roles, ...agents])(
  '%s starts with the variables that bench:cold gives it',
  (name) => {
    const script = `await import(${JSON.stringify(pathToFileURL(fileOf(name)).href)}); process.exit(0);`;
    const args = ['--input-type=module', '--eval', script];
    expect(() =>
      execFileSync(process.execPath, args, { env: environment, stdio: 'pipe' }),
    ).not.toThrow();
  },
);

test.each([...roles, ...agents])('%s imports no module of Node by its facade', (name) => {
  const imported = [...sourceOf(name).matchAll(/\bfrom\s*"([^"]+)"/g)].map(([, of]) => of ?? '');
  expect(imported.filter(isBuiltin)).toEqual([]);
});

test('the same code is the same bundle, so that a deployment replaces no function for nothing', () => {
  const { webhook = '' } = shippedSources([]);
  const again = join(outdir, 'again');
  runEsbuildProgram('bundle', { sources: { webhook }, outdir: again });
  const files = (folder: string) =>
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  expect(files(join(again, 'webhook'))).toEqual(files(folderOf('webhook')));
});

/** A text that only the code of that part has. */
const signs = {
  DynamoDB: 'DynamoDB_20120810',
  SQS: 'SendMessageBatch',
  EventBridge: 'AWSEvents',
  'the API': 'urn:reeve:problem',
  metrics: 'CloudWatchMetrics',
  'other languages': 'Ongeldige invoer',
};
type Sign = keyof typeof signs;

const parts: Readonly<Record<string, readonly Sign[]>> = {
  'front-door': ['DynamoDB', 'SQS', 'the API'],
  submission: ['DynamoDB', 'SQS', 'metrics'],
  scheduler: ['DynamoDB', 'SQS', 'metrics'],
  supervisor: ['DynamoDB', 'SQS', 'metrics'],
  payment: ['DynamoDB', 'SQS', 'metrics'],
  webhook: ['SQS', 'metrics'],
};

describe.each(Object.entries(parts))('%s', (name, wanted) => {
  test(`has ${wanted.join(', ')}, and no other part`, () => {
    const source = sourceOf(name);
    const found = Object.entries(signs).filter(([, text]) => source.includes(text));
    expect(found.map(([what]) => what)).toEqual(wanted);
  });
});

/** A text that only the code of that role has. */
const signsOfRoles = {
  'events of messages': 'message-failed',
  Supervisor: 'outage-detected',
  'agent runner': 'silent-after-complete-by',
  submission: 'was used for another submission',
  notifier: 'notifications-not-kept',
  transitions: 'order-unwritable',
  restart: 'recovery-delayed',
};
type RoleSign = keyof typeof signsOfRoles;

const rolesOf: readonly (readonly [name: string, roles: readonly RoleSign[]])[] = [
  ['front-door', ['submission', 'transitions']],
  ['submission', ['submission']],
  ['scheduler', ['events of messages', 'transitions']],
  ['supervisor', ['events of messages', 'Supervisor', 'transitions']],
  ['notifier', ['notifier']],
  ['payment', ['agent runner']],
  ['webhook', []],
];

test.each(rolesOf)('%s contains its own roles and no others', (name, wanted) => {
  const source = sourceOf(name);
  const found = Object.entries(signsOfRoles).filter(([, text]) => source.includes(text));
  expect(found.map(([role]) => role)).toEqual(wanted);
});

test('the notifier sends to queues and the bus, and contains no workflow', () => {
  const source = sourceOf('notifier');
  expect(source).toContain(signs.EventBridge);
  expect(source).not.toContain('order-fulfilment');
});

test.each(['scheduler', 'supervisor', 'submission', 'webhook'])(
  '%s loads metrics with the first one',
  (name) => {
    expect(loadedBy(name)).not.toContain(signs.metrics);
  },
);

test.each(agents)('the agent %s loads DynamoDB and metrics when its service fails', (name) => {
  const found = Object.entries(signs).filter(([, text]) => loadedBy(name).includes(text));
  expect(found.map(([what]) => what)).toEqual(['SQS']);
});

test('errors and functions keep their names, and those of libraries do not', () => {
  const source = sourceOf('scheduler');
  expect(source).toContain('"UnavailableError"');
  expect(source).toContain('"schedulerHandler"');
  expect(source).not.toContain('"normalizeProvider"');
});

test('the SDK knows its own logger, by whose name it decides where it writes warnings', () => {
  expect(sourceOf('scheduler')).toMatch(/"name",\{value:"NoOpLogger"\}/);
});

test.each([...roles, ...agents])('%s takes only the credentials that Lambda gives it', (name) => {
  expect(sourceOf(name)).toContain('AWS_CONTAINER_CREDENTIALS_');
  expect(sourceOf(name)).not.toMatch(/sso_start_url|credential_process|web_identity_token_file/);
});
