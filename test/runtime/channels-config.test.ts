import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readChannels } from '#runtime/local/channels-config.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const shop = { kind: 'webhook', url: 'https://shop.example/hook', secretVariable: 'SHOP_SECRET' };

function file(content: unknown): string {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-channels-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'channels.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('without a file there are no channels', () => {
  expect(readChannels(undefined, {})).toEqual({});
});

test('a webhook is registered by its name, with the secret of the variable that it names', () => {
  const channels = readChannels(file({ shop }), { SHOP_SECRET: `${secret} ${secret}` });
  expect(channels).toEqual({
    shop: { url: shop.url, secrets: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)] },
  });
});

test.each([['http://127.0.0.1:8080/hook'], ['http://localhost/'], ['http://[::1]:8080/hook']])(
  'plain HTTP is allowed to %s',
  (url) => {
    const { shop: channel } = readChannels(file({ shop: { ...shop, url } }), {
      SHOP_SECRET: secret,
    });
    expect(channel).toMatchObject({ url });
  },
);

test.each<[string, unknown, RegExp]>([
  ['that is no JSON', '{', /is not valid JSON/],
  [
    'with a name twice',
    `{"shop":${JSON.stringify(shop)},"shop":{}}`,
    /`shop` occurs more than once/,
  ],
  ['with a list', [], /`the document` must be an object/],
  [
    'with a name that no object keeps',
    `{"shop":${JSON.stringify(shop)},"__proto__":${JSON.stringify(shop)}}`,
    /`__proto__` is a name that cannot be used/,
  ],
  ...['The Shop', '1s', 's'.repeat(41)].map((name): [string, unknown, RegExp] => [
    `with the name ${name}`,
    { [name]: shop },
    new RegExp(
      `${name}\` as a name: must be up to 40 of a-z, 0-9 and "-", of which the first is one of a-z`,
    ),
  ]),
  [
    'with an address that can be read on the way',
    { shop: { ...shop, url: 'http://shop.example' } },
    /shop\.url` must begin with https/,
  ],
  [
    'with an address of another kind',
    { shop: { ...shop, url: 'file:///etc/passwd' } },
    /shop\.url/,
  ],
  [
    'with a user and a password in an address, which cannot be called',
    { shop: { ...shop, url: `https://user:${secret}@shop.example/` } },
    /shop\.url` must have no user and no password/,
  ],
  [
    'with a user in an address',
    { shop: { ...shop, url: 'http://user@127.0.0.1/' } },
    /shop\.url` must have no user/,
  ],
  ['with a kind that is not there', { shop: { ...shop, kind: 'pigeon' } }, /shop\.kind/],
  ['with a secret in it', { shop: { ...shop, secret } }, /`shop\.secret` is not known here/],
])('a file %s is refused, and the error contains none of its secrets', (_, content, reason) => {
  const read = () => readChannels(file(content), { SHOP_SECRET: secret });
  expect(read).toThrow(reason);
  expect(read).not.toThrow(secret);
});

test('a missing file is named', () => {
  expect(() => readChannels('/nowhere/channels.json', {})).toThrow(/nowhere.*cannot be read/);
});

test('a variable that is not set is named', () => {
  expect(() => readChannels(file({ shop }), {})).toThrow(/The variable SHOP_SECRET/);
});
