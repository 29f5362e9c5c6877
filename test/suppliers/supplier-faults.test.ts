import { describe, expect, test } from 'vitest';
import { type Scenario, scenario } from './scenario.ts';

const healthy = { latencyMs: 0, transientRate: 0, hangRate: 0, declineRate: 0, down: false };
const transient = { status: 503, body: { code: 'transient', message: expect.any(String) } };

describe('the faults of a service', () => {
  test('down: every call is answered 503 at once and has no effect', async () => {
    const s = await scenario();
    await s.faults('payment', { down: true, latencyMs: 500 });
    expect(await s.pay('k-1')).toMatchObject({ status: 503, body: { code: 'down' } });
    expect(await s.undoPay('k-1')).toMatchObject({ status: 503, body: { code: 'down' } });
    expect(s.world.waits).toEqual([]);
    expect(await s.entries()).toEqual([]);
    await s.faults('payment', { down: false });
    expect(await s.pay('k-1')).toMatchObject({ status: 200 });
  });

  test('latencyMs: perform and undo wait that long before they work', async () => {
    const s = await scenario();
    await s.faults('payment', { latencyMs: 1234 });
    const gate = Promise.withResolvers<void>();
    s.world.gate = gate.promise;
    const answer = held(s, () => s.pay('k-1'));
    await answer.arrived;
    expect(await s.entries()).toEqual([]);
    gate.resolve();
    expect(await answer.result).toMatchObject({ status: 200 });
    await s.undoPay('k-1');
    expect(s.world.waits).toEqual([1234, 1234]);
  });

  test('latencyMs: the effect comes although the client has gone away meanwhile', async () => {
    const s = await scenario();
    await s.faults('payment', { latencyMs: 1 });
    const gate = Promise.withResolvers<void>();
    s.world.gate = gate.promise;
    const client = new AbortController();
    const { arrived, result } = held(s, () => s.pay('k-1', client.signal));
    await arrived;
    client.abort();
    await expect(result).rejects.toThrow();
    gate.resolve();
    expect(await s.entries()).toMatchObject([{ state: 'applied', calls: 1, effects: 1 }]);
  });

  test('transientRate: the lower half of the draws fails before the effect', async () => {
    const s = await scenario();
    await s.faults('payment', { transientRate: 0.5 });
    s.world.draws = [0.24];
    expect(await s.pay('k-1')).toEqual(transient);
    expect(await s.entries()).toEqual([]);
  });

  test('transientRate: the upper half fails after the effect, and a repeat learns the answer', async () => {
    const s = await scenario();
    await s.faults('payment', { transientRate: 0.5 });
    s.world.draws = [0.25];
    expect(await s.pay('k-1')).toEqual(transient);
    expect(await s.entries()).toMatchObject([{ state: 'applied', calls: 1, effects: 1 }]);
    expect(await s.pay('k-1')).toMatchObject({ status: 200, body: { amountCents: 4200 } });
    expect(await s.entries()).toMatchObject([{ state: 'applied', calls: 2, effects: 1 }]);
  });

  test('transientRate: an undo loses its answer too, before or after it worked', async () => {
    const s = await scenario();
    await s.pay('k-1');
    await s.faults('payment', { transientRate: 1 });
    s.world.draws = [0.49];
    expect(await s.undoPay('k-1')).toEqual(transient);
    expect(await s.entries()).toMatchObject([{ state: 'applied' }]);
    s.world.draws = [0.5];
    expect(await s.undoPay('k-1')).toEqual(transient);
    expect(await s.entries()).toMatchObject([{ state: 'undone' }]);
  });

  test.each([
    ['before', 0.1, []],
    ['after', 0.9, [{ state: 'applied', calls: 1, effects: 1 }]],
  ])(
    'hangRate: a call may hang %s the effect until its client leaves',
    async (_when, draw, left) => {
      const s = await scenario();
      await s.faults('payment', { hangRate: 1, latencyMs: 1 });
      s.world.draws = [0.999, draw];
      const client = new AbortController();
      const { arrived, result } = held(s, () => s.pay('k-1', client.signal));
      await arrived;
      expect(await s.entries()).toMatchObject(left);
      client.abort();
      await expect(result).rejects.toThrow();
      expect(await s.entries()).toMatchObject(left);
      await s.call('DELETE', '/faults');
      expect(await s.pay('k-1')).toMatchObject({ status: 200 });
      expect(await s.entries()).toMatchObject([{ state: 'applied', effects: 1 }]);
    },
  );

  test('hangRate: closing the process cuts the calls that hang', async () => {
    const s = await scenario();
    await s.faults('payment', { hangRate: 1, latencyMs: 1 });
    const { arrived, result } = held(s, () => s.pay('k-1'));
    await arrived;
    const cut = expect(result).rejects.toThrow();
    await s.close();
    await cut;
  });

  test('declineRate: a decline is replayed for its key, and a new key is judged anew', async () => {
    const s = await scenario();
    await s.faults('payment', { declineRate: 0.5 });
    s.world.draws = [0.999, 0.999, 0.4];
    const declined = {
      status: 422,
      body: { code: 'declined', message: expect.any(String), effect: 'none' },
    };
    expect(await s.pay('k-1')).toEqual(declined);
    await s.call('DELETE', '/faults');
    expect(await s.pay('k-1')).toEqual(declined);
    expect(await s.pay('k-2')).toMatchObject({ status: 200 });
    expect(await s.entries()).toMatchObject([
      { key: 'k-1', state: 'declined', calls: 2, effects: 0 },
      { key: 'k-2', state: 'applied', calls: 1, effects: 1 },
    ]);
  });

  test('declineRate: an undo is never declined', async () => {
    const s = await scenario();
    await s.pay('k-1');
    await s.faults('payment', { declineRate: 1 });
    expect(await s.undoPay('k-1')).toEqual({ status: 200, body: { undone: true } });
  });

  test('faults of one service leave the others alone', async () => {
    const s = await scenario();
    await s.faults('fraud', { down: true });
    expect(await s.pay('k-1')).toMatchObject({ status: 200 });
  });
});

describe('the fault switches', () => {
  test('a subset is changed, the rest stays, and all are reset', async () => {
    const s = await scenario();
    await s.faults('payment', { latencyMs: 60_000, hangRate: 1 });
    expect(await s.faults('payment', { down: true, hangRate: 0.5 })).toEqual({
      status: 200,
      body: { ...healthy, latencyMs: 60_000, hangRate: 0.5, down: true },
    });
    const others = { fraud: healthy, inventory: healthy, shipping: healthy };
    expect((await s.call('GET', '/faults')).body).toEqual({
      ...others,
      payment: { ...healthy, latencyMs: 60_000, hangRate: 0.5, down: true },
    });
    expect(await s.call('DELETE', '/faults')).toEqual({
      status: 200,
      body: { ...others, payment: healthy },
    });
    expect((await s.call('GET', '/faults')).body).toEqual({ ...others, payment: healthy });
  });

  test.each([
    ['transientRate', { transientRate: 1.1 }],
    ['hangRate', { hangRate: -0.1 }],
    ['declineRate', { declineRate: '1' }],
    ['latencyMs', { latencyMs: -1 }],
    ['latencyMs', { latencyMs: 60_001 }],
    ['latencyMs', { latencyMs: 0.5 }],
    ['down', { down: 'yes' }],
    ['surprise', { surprise: 1, down: true }],
    ['body', 7],
    ['__proto__', JSON.parse('{"__proto__":1}')],
  ])('a bad %s is refused by name, and nothing changes', async (field, body) => {
    const s = await scenario();
    const answer = await s.faults('payment', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    expect(answer.body).toHaveProperty('message', expect.stringContaining(field));
    expect((await s.call('GET', '/faults')).body).toHaveProperty('payment', healthy);
  });

  test('an unknown service has no faults', async () => {
    const s = await scenario();
    expect(await s.faults('gifts', { down: true })).toMatchObject({
      status: 404,
      body: { code: 'unknown-service' },
    });
  });
});

/** Sends a call and tells when it has reached its wait; the steps after it take no time. */
function held<Result>(s: Scenario, send: () => Promise<Result>) {
  const arrived = new Promise<void>((resolve) => {
    s.world.arrived = resolve;
  });
  return { arrived, result: send() };
}
