/** The deployed console: its files beside the code of the front door, which serves them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App } from 'aws-cdk-lib';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';
import { workflowsOf } from './workflows-of.ts';

const issuer = 'https://id.example.com';
const jwt = { issuer, audience: ['reeve'] };
const answer = z.object({
  statusCode: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean(),
});

/** The folder of the front door's code, as CloudFormation receives it. */
function frontDoor(context: Readonly<Record<string, unknown>>): string | undefined {
  const outdir = mkdtempSync(join(tmpdir(), 'reeve-console-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const app = new App({ context, outdir });
  const settings = readSettings(app.node);
  new ReeveStack(app, 'Reeve', { settings, workflows: workflowsOf([]), agents: [] });
  app.synth();
  return readdirSync(outdir)
    .map((name) => join(outdir, name))
    .find((folder) => existsSync(join(folder, 'console')));
}

const environment = {
  REEVE_ORDERS_TABLE: 'orders',
  REEVE_PROCESSES_TABLE: 'processes',
  REEVE_COORDINATION_TABLE: 'coordination',
  REEVE_SHARDS: '1',
  REEVE_SWEEP_SECONDS: '60',
  REEVE_KEEP_DAYS: '30',
  REEVE_BACKLOG_MAX: '900',
  REEVE_QUEUES: 'https://sqs.eu-central-1.amazonaws.com/123456789012/reeve-prod',
  REEVE_PRIORITIES: 'normal',
  REEVE_RESPONSE_CHANNELS: '{}',
  AWS_REGION: 'eu-central-1',
  AWS_LAMBDA_FUNCTION_NAME: 'front-door',
  REEVE_CORS_ORIGINS: 'https://shop.example.com,http://localhost:5173',
  REEVE_CONSOLE: JSON.stringify({ issuer, clientId: 'c-1', scope: 'openid', tokenOrigin: null }),
};

/** Calls the function as API Gateway does, in a separate process. */
function get(folder: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const event = {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: { host: 'abc.execute-api.eu-central-1.amazonaws.com', ...headers },
    requestContext: { domainName: 'abc', http: { method: 'GET', path }, stage: '$default' },
    isBase64Encoded: false,
  };
  const script = `
    const { handler } = await import(${JSON.stringify(pathToFileURL(join(folder, 'index.mjs')))});
    const answer = await handler(${JSON.stringify(event)}, {});
    console.log('ANSWER' + JSON.stringify(answer));
  `;
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: environment,
    encoding: 'utf8',
  });
  return answer.parse(JSON.parse(out.slice(out.lastIndexOf('ANSWER') + 'ANSWER'.length)));
}

test('the front door serves it, with its sign-in settings', () => {
  const folder = frontDoor({ jwt, console: { clientId: 'c-1' } }) ?? '';
  const page = get(folder, '/');
  expect(page).toMatchObject({ statusCode: 200, isBase64Encoded: false });
  expect(page.headers['content-security-policy']).toContain(`connect-src 'self' ${issuer};`);
  const [script = ''] = /\/assets\/[\w.-]+\.js/.exec(page.body) ?? [];
  expect(get(folder, script).headers['content-type']).toContain('text/javascript');
  expect(JSON.parse(get(folder, '/sign-in.json').body)).toEqual({
    issuer,
    clientId: 'c-1',
    scope: 'openid',
  });
});

test('the deployed function accepts requests from pages of its configured origins only', () => {
  const folder = frontDoor({ jwt, console: { clientId: 'c-1' } }) ?? '';
  const statusFor = (origin: string) => get(folder, '/sign-in.json', { origin }).statusCode;
  expect(statusFor('https://shop.example.com')).toBe(200);
  expect(statusFor('http://localhost:5173')).toBe(200);
  expect(statusFor('https://evil.example')).toBe(403);
});

test('without it the functions have none of its files', () => {
  expect(frontDoor({ jwt })).toBeUndefined();
});
