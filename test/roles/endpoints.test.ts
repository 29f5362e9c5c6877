/** The calls of an agent whose service has several endpoints. */
import { expect, test } from 'vitest';
import type { Ejection } from '#core/flow/endpoint-member.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { freeBreaker } from '../support/breakers.ts';
import { kitchen, never, served } from './kitchen.ts';

const endpoints = [{ url: 'https://a.example' }, { url: 'https://b.example' }];

test('a call that fails is repeated at once at another endpoint, with the same key', async () => {
  const { run, calls, replies } = kitchen(
    async (_, tries) => {
      if (tries === 1) throw new TransientFault('http-503', 'try later');
      return { plate: 'soup' };
    },
    { endpoints },
  );
  await run();
  expect(calls.map(({ at }) => at)).toEqual([0, 0]);
  expect(new Set(calls.map(({ call }) => call.endpoint)).size).toBe(2);
  expect(new Set(calls.map(({ call }) => call.idempotencyKey)).size).toBe(1);
  expect(replies.map(({ result }) => result.kind)).toEqual(['succeeded']);
});

test('when all endpoints have failed, the next calls wait', async () => {
  const { run, clock, calls } = kitchen(
    async () => {
      throw new TransientFault('http-503', 'try later');
    },
    { endpoints },
  );
  const running = run();
  await clock.advance(500);
  expect(calls.map(({ at }) => at)).toEqual([0, 0, 75, 75, 225, 225]);
  await clock.advance(10_000);
  await running;
});

test('an endpoint that never answers takes half of the time, and its signal fires', async () => {
  const { run, clock, calls, replies } = kitchen(
    async (_, tries) => (tries === 1 ? never() : { plate: 'soup' }),
    { endpoints },
  );
  const running = run();
  await clock.advance(4_999);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.call.signal.aborted).toBe(false);
  await clock.advance(2);
  await running;
  expect(calls).toHaveLength(2);
  expect(calls[0]?.call.signal.aborted).toBe(true);
  expect(calls[1]?.call.signal.aborted).toBe(false);
  expect(replies.map(({ result }) => result.kind)).toEqual(['succeeded']);
});

test('a call that reports progress keeps the whole time', async () => {
  const { run, clock, calls, replies } = kitchen(
    async (call) => {
      for (let beats = 0; beats < 3; beats += 1) {
        await new Promise<void>((resolve) => clock.after(3_000, resolve));
        call.heartbeat();
      }
      return { plate: 'soup' };
    },
    { endpoints },
  );
  const running = run();
  await clock.advance(9_500);
  await running;
  expect(calls).toHaveLength(1);
  expect(replies.at(-1)?.result.kind).toBe('succeeded');
});

test('a call whose time has passed reports no progress of the one after it', async () => {
  const { run, clock, calls, replies } = kitchen(
    async (call, tries) => {
      if (tries === 2) return never();
      // Its first report comes after half of the time, and it ignores its signal.
      for (let beats = 0; beats < 5; beats += 1) {
        await new Promise<void>((resolve) => clock.after(6_000, resolve));
        call.heartbeat();
      }
      return { plate: 'soup' };
    },
    { endpoints },
  );
  const running = run({ endBy: clock.now() + 60_000 });
  await clock.advance(10_001);
  await running;
  expect(calls).toHaveLength(2);
  expect(replies).toEqual([]);
});

test('the circuit of the service hears of a failure only when every endpoint has failed', async () => {
  const ends: string[] = [];
  const breaker = freeBreaker((end) => ends.push(end));
  const { run } = kitchen(
    async (_, tries) => {
      if (tries <= 3) throw new TransientFault('http-503', 'try later');
      return { plate: 'soup' };
    },
    { endpoints: [...endpoints, { url: 'https://c.example' }, { url: 'https://d.example' }] },
    { breaker },
  );
  await run();
  expect(ends).toEqual(['answered']);
});

test('a permanent fault is an answer: no other endpoint is called', async () => {
  const { run, calls, replies } = kitchen(
    async () => {
      throw new PermanentFault('sold-out', 'No soup.', 'none');
    },
    { endpoints },
  );
  await run();
  expect(calls).toHaveLength(1);
  expect(replies.map(({ result }) => result.kind)).toEqual(['failed']);
});

test('an agent without endpoints that reads one gets a clear fault', async () => {
  const { run, replies } = kitchen(async (call) => ({ plate: call.endpoint }));
  await run();
  expect(replies[0]?.result).toMatchObject({
    kind: 'failed',
    fault: { code: 'endpoints-missing', effect: 'possible' },
  });
});

test('one endpoint is called as an agent without endpoints calls its service', async () => {
  const { run, calls } = kitchen(served, { endpoints: [{ url: 'https://a.example' }] });
  await run();
  expect(calls.map(({ call }) => call.endpoint)).toEqual(['https://a.example']);
});

test.each([
  ['none', []],
  ['one twice', [{ url: 'https://a.example' }, { url: 'https://a.example' }]],
  ['an empty one', [{ url: '' }]],
  ['a weight of 0', [{ url: 'https://a.example', weight: 0 }]],
  ['a weight that is no number', [{ url: 'https://a.example', weight: Number.NaN }]],
])('endpoints are refused: %s', (_, invalid) => {
  expect(() => kitchen(served, { endpoints: invalid })).toThrow(
    expect.objectContaining({ code: 'endpoints-invalid' }),
  );
});

test('an endpoint that is ejected is logged and shared, and one that may not be is logged', async () => {
  const shared: string[] = [];
  let reads = 0;
  const ejections = {
    ejected: ({ url, count }: Ejection) => shared.push(`${url} ${count}`),
    failed: () => {
      reads += 1;
    },
  };
  const { run, clock, log } = kitchen(
    async () => {
      throw new TransientFault('http-503', 'try later');
    },
    { endpoints },
    { ejections },
  );
  const running = run();
  await clock.advance(1_000);
  const lines = log.lines.filter(({ event }) => event.startsWith('endpoint-'));
  expect(lines.map(({ event, fields }) => [event, fields['agent']])).toEqual([
    ['endpoint-ejected', 'cook'],
    ['endpoint-not-ejected', 'cook'],
  ]);
  expect(lines[0]?.fields).toMatchObject({ ejectedMs: 5_000, count: 1 });
  expect(shared).toEqual([`${lines[0]?.fields['endpoint']} 1`]);
  expect(reads).toBeGreaterThan(5);
  await clock.advance(10_000);
  await running;
});
