import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { namedTokens } from '#runtime/local/named-tokens.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const entry = (name: string, more: object = {}) => ({
  name,
  role: 'viewer',
  sha256: createHash('sha256').update(`token-of-${name}`).digest('hex'),
  ...more,
});

function scenario(first: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'tokens.json');
  /** Replaces the file atomically, as an editor does. */
  const write = (document: unknown) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  if (first !== undefined) write(first);
  const clock = virtualClock();
  const log = testLog();
  const start = () => namedTokens({ path, clock, log });
  return { path, write, clock, log, start };
}

const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}`, env: {} });

test('a bearer has the name, the role and the tenant of its entry', async () => {
  const { start } = scenario([entry('ada', { role: 'operator', tenant: 'inn' }), entry('bert')]);
  const identify = start();
  expect(await identify(bearer('ada'))).toEqual({
    kind: 'known',
    principal: { name: 'ada', role: 'operator', tenant: 'inn' },
  });
  expect(await identify(bearer('bert'))).toEqual({
    kind: 'known',
    principal: { name: 'bert', role: 'viewer', tenant: null },
  });
});

test.each(['', 'Bearer', 'Bearer ', 'Bearer token-of-eve', 'Basic token-of-ada', 'token-of-ada'])(
  'the token %j is unknown',
  async (authorization) => {
    const identify = scenario([entry('ada')]).start();
    expect(await identify({ authorization, env: {} })).toEqual({ kind: 'unknown' });
  },
);

test('the digest of a token is not accepted as a token', async () => {
  const { sha256 } = entry('ada');
  const identify = scenario([entry('ada')]).start();
  expect(await identify({ authorization: `Bearer ${sha256}`, env: {} })).toEqual({
    kind: 'unknown',
  });
});

test('a changed file is read within a second, and not on each request', async () => {
  const { start, write, clock } = scenario([entry('ada')]);
  const identify = start();
  write([entry('bert')]);
  clock.jump(999);
  expect(await identify(bearer('ada'))).toMatchObject({ kind: 'known' });
  clock.jump(1);
  expect(await identify(bearer('ada'))).toEqual({ kind: 'unknown' });
  expect(await identify(bearer('bert'))).toMatchObject({ kind: 'known' });
});

test('a changed file is read when the clock was set back', async () => {
  const { start, write, clock } = scenario([entry('ada')]);
  const identify = start();
  write([entry('bert')]);
  clock.jump(-3_600_000);
  expect(await identify(bearer('ada'))).toEqual({ kind: 'unknown' });
});

test('a file of the same size and time in the place of the former one is read', async () => {
  const { path, start, write, clock } = scenario([entry('ada')]);
  const restored = () => utimesSync(path, 1_700_000_000, 1_700_000_000);
  restored();
  const identify = start();
  write([entry('eve')]);
  restored();
  clock.jump(1_000);
  expect(await identify(bearer('ada'))).toEqual({ kind: 'unknown' });
  expect(await identify(bearer('eve'))).toMatchObject({ kind: 'known' });
});

test.each([
  ['half a document', '[{"name":'],
  ['another document', { tokens: [] }],
  ['an entry of no role', [entry('bert', { role: 'boss' })]],
])('%s leaves the former tokens valid, and is logged', async (_, document) => {
  const { start, write, clock, log } = scenario([entry('ada')]);
  const identify = start();
  write(document);
  clock.jump(1_000);
  expect(await identify(bearer('ada'))).toMatchObject({ kind: 'known' });
  expect(await identify(bearer('bert'))).toEqual({ kind: 'unknown' });
  clock.jump(1_000);
  await identify(bearer('ada'));
  expect(log.lines).toMatchObject([{ event: 'tokens-unusable' }]);
  write([entry('bert')]);
  clock.jump(1_000);
  expect(await identify(bearer('bert'))).toMatchObject({ kind: 'known' });
});

test('a missing file leaves the former tokens valid', async () => {
  const { start, path, clock, log } = scenario([entry('ada')]);
  const identify = start();
  rmSync(path);
  clock.jump(1_000);
  expect(await identify(bearer('ada'))).toMatchObject({ kind: 'known' });
  expect(log.lines).toHaveLength(1);
});

test.each([
  ['no file', undefined, /cannot be read/],
  ['no JSON', 'tokens', /is not valid JSON/],
  ['no list', { ada: 1 }, /`the document` must be an array/],
  ['a role that is none', [entry('ada', { role: 'admin' })], /0\.role/],
  ['a token in the clear', [entry('ada', { sha256: 'secret' })], /0\.sha256/],
  ['a field of another name', [entry('ada', { tenants: 'inn' })], /tenants/],
  ['an empty tenant', [entry('ada', { tenant: '' })], /0\.tenant/],
  ['a name that steers a terminal', [entry('\u001b[2J')], /0\.name/],
  ['one token twice', [entry('ada'), { ...entry('ada'), name: 'bert' }], /repeats a token/],
])('%s is refused at the start', (_, document, message) => {
  const { start } = scenario(document);
  expect(start).toThrow(expect.objectContaining({ code: 'tokens-unusable' }));
  expect(start).toThrow(message);
});

test.each(['Bearer', 'bearer', 'BEARER'])('the scheme may be written %s', async (scheme) => {
  const { start } = scenario([entry('ada')]);
  const identity = await start()({ authorization: `${scheme} token-of-ada`, env: {} });
  expect(identity.kind).toBe('known');
});
