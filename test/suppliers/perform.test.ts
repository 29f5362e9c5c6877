import { describe, expect, test } from 'vitest';
import { inputs, scenario } from './scenario.ts';

describe('perform', () => {
  test('every service answers with its output', async () => {
    const s = await scenario();
    expect(await s.post('/fraud/perform', 'k', inputs.fraud)).toEqual({
      status: 200,
      body: { score: expect.any(Number), decision: 'approved' },
    });
    expect(await s.post('/inventory/perform', 'k', inputs.inventory)).toEqual({
      status: 200,
      body: { reservationId: expect.stringMatching(/^res_[0-9a-f]{16}$/) },
    });
    expect(await s.pay('k')).toEqual({
      status: 200,
      body: { chargeId: expect.stringMatching(/^ch_[0-9a-f]{16}$/), amountCents: 4200 },
    });
    expect(await s.post('/shipping/perform', 'k', inputs.shipping)).toEqual({
      status: 200,
      body: { trackingId: expect.stringMatching(/^trk_[0-9a-f]{16}$/) },
    });
  });

  test('the fraud score comes from the input alone and lies between 0 and 100', async () => {
    const s = await scenario();
    const scores = new Set<unknown>();
    for (let cents = 0; cents < 30; cents++) {
      const input = { ...inputs.fraud, amountCents: cents };
      const once = await s.post('/fraud/perform', `a-${cents}`, input);
      expect(await s.post('/fraud/perform', `b-${cents}`, input)).toEqual(once);
      expect(once.body).toHaveProperty('score', expect.toSatisfy(isScore));
      scores.add(once.body);
    }
    expect(scores.size).toBeGreaterThan(1);
  });

  test('the same key again replays the answer without a second effect', async () => {
    const s = await scenario();
    const first = await s.pay('k-1');
    expect(await s.pay('k-1')).toEqual(first);
    expect(await s.entries('?orderId=o-1')).toEqual([
      {
        service: 'payment',
        key: 'k-1',
        orderId: 'o-1',
        state: 'applied',
        calls: 2,
        effects: 1,
        amountCents: 4200,
        at: '2026-01-02T00:00:00.000Z',
      },
    ]);
  });

  test('fifty concurrent calls with one key have one effect and one answer', async () => {
    const s = await scenario();
    const answers = await Promise.all(Array.from({ length: 50 }, () => s.pay('k-1')));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.status).toBe(200);
    expect(await s.entries()).toMatchObject([{ state: 'applied', calls: 50, effects: 1 }]);
  });

  test('the same key at another service is another key', async () => {
    const s = await scenario();
    await s.pay('k-1');
    expect(await s.post('/inventory/perform', 'k-1', inputs.inventory)).toMatchObject({
      status: 200,
    });
    expect(await s.entries()).toMatchObject([
      { service: 'payment', effects: 1 },
      { service: 'inventory', effects: 1 },
    ]);
  });

  test('the same key with another body is refused', async () => {
    const s = await scenario();
    await s.pay('k-1');
    const other = { ...inputs.payment, amountCents: 1 };
    expect(await s.post('/payment/perform', 'k-1', other)).toEqual({
      status: 422,
      body: { code: 'key-reused', message: expect.any(String), effect: 'none' },
    });
    expect(await s.entries()).toMatchObject([{ amountCents: 4200, calls: 2, effects: 1 }]);
  });

  test('the same body with its members in another order is the same body', async () => {
    const s = await scenario();
    const { orderId, reservationId } = inputs.shipping;
    const a = { orderId, reservationId, shipTo: { city: 'Turin', zip: '1' } };
    const b = { shipTo: { zip: '1', city: 'Turin' }, reservationId, orderId };
    const first = await s.post('/shipping/perform', 'k-1', a);
    expect(await s.post('/shipping/perform', 'k-1', b)).toEqual(first);
  });

  test('two different keys are two effects', async () => {
    const s = await scenario();
    const answers = [await s.pay('k-1'), await s.pay('k-2')];
    expect(answers[0]?.body).not.toEqual(answers[1]?.body);
    expect(await s.entries()).toMatchObject([{ effects: 1 }, { effects: 1 }]);
  });
});

describe('refusals of perform', () => {
  test('a call without a key is refused', async () => {
    const s = await scenario();
    const body = JSON.stringify(inputs.payment);
    expect(await s.call('POST', '/payment/perform', { body })).toEqual({
      status: 400,
      body: {
        code: 'bad-request',
        message: expect.stringContaining('Idempotency-Key'),
        effect: 'none',
      },
    });
  });

  test.each([
    ['orderId', '/fraud/perform', { ...inputs.fraud, orderId: '' }],
    ['orderId', '/payment/perform', { ...inputs.payment, orderId: 'o'.repeat(129) }],
    ['amountCents', '/payment/perform', { ...inputs.payment, amountCents: 1.5 }],
    ['lines.0.quantity', '/inventory/perform', { orderId: 'o', lines: [{ sku: 's' }] }],
    ['shipTo', '/shipping/perform', { ...inputs.shipping, shipTo: 'Turin' }],
    ['body', '/payment/perform', []],
  ])('a bad input is refused with the name of its field: %s at %s', async (field, path, body) => {
    const s = await scenario();
    const answer = await s.post(path, 'k-1', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    expect(answer.body).toHaveProperty('message', expect.stringContaining(`${field}: `));
    expect(await s.entries()).toEqual([]);
  });

  test('a body that is not JSON is refused', async () => {
    const s = await scenario();
    const init = { headers: { 'Idempotency-Key': 'k' }, body: '{' };
    expect(await s.call('POST', '/payment/perform', init)).toMatchObject({ status: 400 });
  });

  test('a key has 255 characters at most', async () => {
    const s = await scenario();
    expect(await s.pay('k'.repeat(255))).toMatchObject({ status: 200 });
    expect(await s.pay('k'.repeat(256))).toMatchObject({
      status: 400,
      body: { code: 'bad-request', message: expect.stringContaining('1 to 255 characters') },
    });
    expect((await s.entries()).map(({ key }) => key.length)).toEqual([255]);
  });

  test('a body beyond the limit is refused', async () => {
    const s = await scenario();
    const shipTo = { note: 'n'.repeat(300 * 1024) };
    expect(await s.post('/shipping/perform', 'k', { ...inputs.shipping, shipTo })).toMatchObject({
      status: 413,
      body: { code: 'too-large' },
    });
  });

  test('an unknown service and an unknown path are 404 in JSON', async () => {
    const s = await scenario();
    for (const path of ['/gifts/perform', '/gifts/undo', '/constructor/perform']) {
      expect(await s.post(path, 'k', {})).toMatchObject({
        status: 404,
        body: { code: 'unknown-service' },
      });
    }
    expect(await s.call('GET', '/payment')).toMatchObject({
      status: 404,
      body: { code: 'not-found' },
    });
  });
});

function isScore(score: unknown): boolean {
  return Number.isInteger(score) && Number(score) >= 0 && Number(score) <= 100;
}
