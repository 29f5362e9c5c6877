import { request } from 'node:http';
import { expect, test } from 'vitest';
import { scenario } from './scenario.ts';

function statusFor(url: string, method: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { host, 'idempotency-key': 'k-1' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test.each(['rebound.example', 'rebound.example:80', '127.0.0.1', 'localhost:1'])(
  'a page that calls by the host name %s is refused: no fault is set, and nothing performed',
  async (host) => {
    const s = await scenario();
    await s.faults('payment', { down: true });
    expect(await statusFor(`${s.url}/faults`, 'DELETE', host)).toBe(403);
    expect(await statusFor(`${s.url}/ledger`, 'GET', host)).toBe(403);
    expect(await statusFor(`${s.url}/payment/perform`, 'POST', host)).toBe(403);
    expect(await s.call('GET', '/faults')).toMatchObject({ body: { payment: { down: true } } });
    expect(await s.entries()).toEqual([]);
  },
);

test('the names of this machine are served', async () => {
  const s = await scenario();
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    expect(await statusFor(`${s.url}/healthz`, 'GET', `${name}:${s.port}`)).toBe(200);
  }
});
