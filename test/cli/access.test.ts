import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { problem, scenario } from './scenario.ts';

const made = z.object({
  token: z.string().regex(/^reeve_[\w-]{43}$/),
  entry: z.strictObject({
    name: z.string(),
    role: z.string(),
    tenant: z.string().optional(),
    sha256: z.string(),
  }),
});

test.each([
  [{ name: 'olga', role: 'operator', tenant: null }, 'olga: operator\n'],
  [{ name: 'shop', role: 'submitter', tenant: 'inn' }, 'shop: submitter, of tenant inn\n'],
  [{ name: 'user/ada', role: 'iam', tenant: null }, 'user/ada: what IAM allows\n'],
])('`reeve whoami` shows %j as %j', async (document, words) => {
  const { app, run } = scenario({ env: { REEVE_TOKEN: 'secret' } });
  app.get('/principal', (context) => context.json(document));
  expect(await run('whoami')).toEqual({ exitCode: 0, stdout: words, stderr: '' });
  expect(JSON.parse((await run('whoami --json')).stdout)).toEqual(document);
});

test('an action that the role does not allow is refused with exit code 3 and the reason', async () => {
  const { app, run } = scenario();
  app.post('/orders/:id/cancel', () => problem(403, 'role-insufficient'));
  const { exitCode, stderr } = await run('cancel o-1');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('code: role-insufficient');
});

test('`reeve token` prints a token and the entry with its digest', async () => {
  const { run } = scenario();
  const { stdout, exitCode } = await run('token shop --role submitter --tenant inn --json');
  const { token, entry } = made.parse(JSON.parse(stdout));
  expect(exitCode).toBe(0);
  const sha256 = createHash('sha256').update(token).digest('hex');
  expect(entry).toEqual({ name: 'shop', role: 'submitter', tenant: 'inn', sha256 });
});

test('each token is unique, and its entry does not contain it', async () => {
  const { run } = scenario();
  const [one, two] = [await run('token olga --role viewer'), await run('token olga --role viewer')];
  const tokenIn = (text: string) => /reeve_[\w-]{43}/.exec(text)?.[0] ?? 'none';
  expect(tokenIn(one.stdout)).not.toBe(tokenIn(two.stdout));
  expect(one.stdout.split(tokenIn(one.stdout))).toHaveLength(2);
});

test.each([
  'token olga',
  'token olga --role boss',
  'token --role viewer',
  'token ol/ga --role viewer',
  `token ${'x'.repeat(65)} --role viewer`,
  `token olga --role viewer --tenant ${'x'.repeat(65)}`,
  'token olga --role viewer --tenant=',
])('`reeve %s` is wrong usage, and no token is made', async (line) => {
  const { exitCode, stdout } = await scenario().run(line);
  expect(exitCode).toBe(2);
  expect(stdout).not.toContain('reeve_');
});
