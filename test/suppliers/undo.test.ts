import { describe, expect, test } from 'vitest';
import { inputs, scenario } from './scenario.ts';

const refusal = {
  status: 409,
  body: { code: 'tombstoned', message: expect.any(String), effect: 'none' },
};

describe('undo', () => {
  test('it takes an effect back, and says the same on every repeat', async () => {
    const s = await scenario();
    await s.pay('k-1');
    expect(await s.undoPay('k-1')).toEqual({ status: 200, body: { undone: true } });
    expect(await s.undoPay('k-1')).toEqual({ status: 200, body: { undone: true } });
    expect(await s.entries()).toMatchObject([{ state: 'undone', calls: 1, effects: 1 }]);
  });

  test('it says of a key without effect that there was none, on every repeat', async () => {
    const s = await scenario();
    expect(await s.undoPay('k-1')).toEqual({ status: 200, body: { undone: false } });
    expect(await s.undoPay('k-1')).toEqual({ status: 200, body: { undone: false } });
    expect(await s.entries()).toMatchObject([
      { key: 'k-1', orderId: null, state: 'tombstoned', calls: 0, effects: 0 },
    ]);
  });

  test('a perform that comes late finds the tombstone and is refused', async () => {
    const s = await scenario();
    await s.undoPay('k-1');
    expect(await s.pay('k-1')).toEqual(refusal);
    expect(await s.undoPay('k-1')).toEqual({ status: 200, body: { undone: false } });
    expect(await s.entries('?orderId=o-1')).toMatchObject([
      { state: 'tombstoned', calls: 1, effects: 0 },
    ]);
  });

  test('a perform repeated after the undo is refused, not replayed', async () => {
    const s = await scenario();
    await s.pay('k-1');
    await s.undoPay('k-1');
    expect(await s.pay('k-1')).toEqual(refusal);
    expect(await s.entries()).toMatchObject([{ state: 'undone', calls: 2, effects: 1 }]);
  });

  test('a declined key has nothing to undo and stays declined', async () => {
    const s = await scenario();
    await s.faults('payment', { declineRate: 1 });
    const declined = await s.pay('k-1');
    expect(await s.undoPay('k-1')).toEqual({ status: 200, body: { undone: false } });
    expect(await s.pay('k-1')).toEqual(declined);
    expect(await s.entries()).toMatchObject([{ state: 'declined', effects: 0 }]);
  });

  test('of a perform and an undo that race, the one that is second sees the first', async () => {
    const s = await scenario();
    const keys = Array.from({ length: 20 }, (_, index) => `k-${index}`);
    const races = await Promise.all(
      keys.map((key, index) =>
        index % 2 === 0
          ? Promise.all([s.pay(key), s.undoPay(key)])
          : Promise.all([s.undoPay(key), s.pay(key)]).then(([undo, pay]) => [pay, undo]),
      ),
    );
    const entries = await s.entries();
    for (const [index, [pay, undo]] of races.entries()) {
      const entry = entries.find(({ key }) => key === `k-${index}`);
      if (pay?.status === 200) {
        expect(undo?.body).toEqual({ undone: true });
        expect(entry).toMatchObject({ state: 'undone', effects: 1 });
      } else {
        expect(pay).toEqual(refusal);
        expect(undo?.body).toEqual({ undone: false });
        expect(entry).toMatchObject({ state: 'tombstoned', effects: 0 });
      }
    }
  });

  test('inventory can be undone as payment can', async () => {
    const s = await scenario();
    await s.post('/inventory/perform', 'k-1', inputs.inventory);
    expect(await s.post('/inventory/undo', 'u-1', { performKey: 'k-1' })).toEqual({
      status: 200,
      body: { undone: true },
    });
  });

  test.each(['fraud', 'shipping'])('%s has no undo', async (service) => {
    const s = await scenario();
    expect(await s.post(`/${service}/undo`, 'u-1', { performKey: 'k-1' })).toMatchObject({
      status: 404,
      body: { code: 'no-undo' },
    });
  });

  test('an undo without its own key or without a performKey is refused', async () => {
    const s = await scenario();
    const body = JSON.stringify({ performKey: 'k-1' });
    expect(await s.call('POST', '/payment/undo', { body })).toMatchObject({ status: 400 });
    const answer = await s.post('/payment/undo', 'u-1', {});
    expect(answer.status).toBe(400);
    expect(answer.body).toHaveProperty('message', expect.stringContaining('performKey: '));
    expect(await s.entries()).toEqual([]);
  });

  test('the key of the perform has 255 characters at most, as that of the undo', async () => {
    const s = await scenario();
    const undo = (key: string, performKey: string) => s.post('/payment/undo', key, { performKey });
    expect(await undo('u'.repeat(255), 'k'.repeat(255))).toMatchObject({ status: 200 });
    expect(await undo('u'.repeat(256), 'k')).toMatchObject({ status: 400 });
    expect(await undo('u', 'k'.repeat(256))).toMatchObject({ status: 400 });
    expect((await s.entries()).map(({ key }) => key.length)).toEqual([255]);
  });
});
