import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { Identity } from '#core/access/principal.ts';
import { shortened } from '#core/model/history.ts';
import { orderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { recheckMs } from '#http/access/still-allowed.ts';
import { followerLimits } from '#http/routes/followers.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { identified, operator, orderIdOf, type Scenario, scenario } from './scenario.ts';

const data = z.object({ type: z.string().optional(), processState: z.string().optional() });

interface Message {
  readonly event: string;
  readonly id: string | null;
  readonly data: z.infer<typeof data>;
}

function parsed(block: string): Message {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  return {
    event: field('event') ?? '',
    id: field('id') ?? null,
    data: data.parse(JSON.parse(field('data') ?? 'null')),
  };
}

/** Opens a stream; each call of `next` returns the next message, null at its end. */
async function open({ get }: Scenario, path: string, headers?: Record<string, string>) {
  const response = await get(path, headers);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('the stream has no body');
  onTestFinished(async () => {
    await reader.cancel();
  });
  let text = '';
  return async (): Promise<Message | null> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (!block.startsWith(':')) return parsed(block);
        continue;
      }
      const { value, done } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
}

async function rest(next: () => Promise<Message | null>): Promise<Message[]> {
  const messages: Message[] = [];
  for (let message = await next(); message !== null; message = await next()) messages.push(message);
  return messages;
}

test('the stream of an ended order has its whole history, and ends', async () => {
  const world = await scenario();
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processed');
  const messages = await rest(await open(world, `/orders/${id}/events`));
  expect(
    messages.map(({ event, id: number, data: { type, processState } }) => [
      event,
      number,
      type ?? processState,
    ]),
  ).toEqual([
    ['history', '1', 'submit'],
    ['history', '2', 'claim'],
    ['history', '3', 'stepSucceeded'],
    ['order', 'ended', 'Processed'],
  ]);
});

test('a reader that reconnects continues after its last event', async () => {
  const world = await scenario();
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processed');
  const next = await open(world, `/orders/${id}/events`, { 'last-event-id': '2' });
  expect((await rest(next)).map(({ id: number }) => number)).toEqual(['3', 'ended']);
});

test('a reader that has the last event of an ended order gets no further stream, and before that one does', async () => {
  const world = await scenario();
  const serve = world.hold();
  const id = await orderIdOf(await world.submit());
  const last = () => world.get(`/orders/${id}/events`, { 'last-event-id': 'ended' });
  const before = await last();
  expect(before.status).toBe(200);
  await before.body?.cancel();
  serve();
  await world.reaches(id, 'Processed');
  const after = await last();
  expect([after.status, await after.text()]).toEqual([204, '']);
});

test('a reader that had more entries than a shortened history has gets the latest one', async () => {
  const world = await scenario();
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processed');
  const next = await open(world, `/orders/${id}/events`, { 'last-event-id': '40' });
  expect((await rest(next)).map(({ id: number }) => number)).toEqual(['3', 'ended']);
});

test('a reader gets each entry once where the history is shortened meanwhile', async () => {
  const records: ProcessRecord[] = [];
  const world = await scenario((ports) => ({
    ...ports,
    store: {
      ...ports.store,
      records: async (ids) => {
        const known = await ports.store.records(ids);
        return new Map([...known].map(([id, record]) => [id, records.at(-1) ?? record]));
      },
    },
  }));
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processed');
  const numbers = async (after: number) => {
    const next = await open(world, `/orders/${id}/events`, { 'last-event-id': String(after) });
    const messages = await rest(next);
    return messages.filter(({ event }) => event === 'history').map(({ id: number }) => number);
  };
  const stored = await world.reeve.store.records([orderId(id)]);
  const record = [...stored.values()][0];
  if (record === undefined) throw new Error('there is no order');
  const { history } = record;
  const entry = history.at(-1);
  if (entry === undefined) throw new Error('there is no entry');
  const long = [...history, ...Array.from({ length: 37 }, () => entry)];
  records.push({ ...record, history: long });
  expect((await numbers(0)).length).toBe(40);
  records.push({ ...record, history: [...shortened(long), entry, entry] });
  expect(await numbers(40)).toEqual(['41', '42']);
  expect((await numbers(30)).slice(0, 2)).toEqual(['32', '33']);
  records.push({ ...record, history: shortened([...shortened(long), entry, entry]) });
  expect(await numbers(41)).toEqual(['42']);
});

test('the stream of a live order has each change until the order ends', async () => {
  const world = await scenario();
  const serve = world.hold();
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processing');
  const next = await open(world, `/orders/${id}/events`);
  const before = [await next(), await next(), await next()];
  expect(before.map((message) => message?.data.type ?? message?.data.processState)).toEqual([
    'submit',
    'claim',
    'Processing',
  ]);
  serve();
  expect(
    (await rest(next)).map((message) => message.data.type ?? message.data.processState),
  ).toEqual(['stepSucceeded', 'Processed']);
});

test('the stream of all orders has each change', async () => {
  const world = await scenario();
  const next = await open(world, '/events');
  await world.submit();
  const states = [await next(), await next(), await next()];
  expect(states.map((message) => [message?.event, message?.data.processState])).toEqual([
    ['order', 'Pending'],
    ['order', 'Processing'],
    ['order', 'Processed'],
  ]);
});

test.each(['all orders', 'one order'])('a HEAD request opens no stream of %s', async (which) => {
  const world = await scenario((ports) => ({ ...ports, watch: () => expect.fail('it watches') }));
  const id = await orderIdOf(await world.submit());
  const path = which === 'one order' ? `/orders/${id}/events` : '/events';
  const head = await world.app.request(path, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers.get('content-type')).toContain('text/event-stream');
  // A cache that kept a stream would answer with old events.
  expect(head.headers.get('cache-control')).toBe('no-cache');
  // A proxy that gathers an answer before it passes it on would hold events back.
  expect(head.headers.get('x-accel-buffering')).toBe('no');
});

test('a stream of an order that cannot be read leaves no follower', async () => {
  let reads = 0;
  const stops: string[] = [];
  const world = await scenario((ports) => ({
    ...ports,
    watch: (listener) => {
      const stop = ports.watch(listener);
      return () => {
        stops.push('stopped');
        stop();
      };
    },
    store: {
      ...ports.store,
      async records(ids) {
        reads += 1;
        // The first read is the one of the route, before it follows.
        if (reads === 2) throw new Error('the disk');
        return ports.store.records(ids);
      },
    },
  }));
  const id = await orderIdOf(await world.submit());
  expect((await world.get(`/orders/${id}/events`)).status).toBe(500);
  expect(stops).toEqual(['stopped']);
});

test('a stream of an order that is deleted just then is none, and leaves no follower', async () => {
  let reads = 0;
  let watches = 0;
  const world = await scenario((ports) => ({
    ...ports,
    watch: (listener) => {
      const stop = ports.watch(listener);
      watches += 1;
      return () => {
        watches -= 1;
        stop();
      };
    },
    store: {
      ...ports.store,
      async records(ids) {
        reads += 1;
        return reads === 1 ? ports.store.records(ids) : new Map();
      },
    },
  }));
  const id = await orderIdOf(await world.submit());
  const response = await world.get(`/orders/${id}/events`);
  expect([response.status, watches]).toEqual([404, 0]);
});

test('followers beyond the part of their principal, or of its tenant, are refused with a Retry-After', async () => {
  let identity: Identity = identified({ ...operator, name: 'ada', tenant: 'gold' });
  const world = await scenario((ports) => ({
    ...ports,
    guard: { ...ports.guard, identify: () => identity },
  }));
  // A tenth of all places is left for others.
  const part = followerLimits.followersMax * 0.9;
  const readers = await Promise.all(Array.from({ length: part }, () => world.get('/events')));
  onTestFinished(async () => {
    for (const { body } of readers) await body?.cancel();
  });
  expect(new Set(readers.map(({ status }) => status))).toEqual(new Set([200]));
  identity = identified({ ...operator, name: 'bob', tenant: 'gold' });
  const refused = await world.get('/events');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ code: 'followers-full' });
  identity = identified({ ...operator, name: 'bob' });
  expect((await open(world, '/events')).length).toBe(0);
  identity = identified({ ...operator, name: 'bob', tenant: 'gold' });
  await Promise.all(readers.splice(0, 20).map(({ body }) => body?.cancel()));
  expect((await open(world, '/events')).length).toBe(0);
});

test('a principal whose tenant is empty shares no events with one that sees every tenant', async () => {
  const clock = virtualClock();
  let identity: Identity = identified(operator);
  const world = await scenario((ports) => ({
    ...ports,
    clock,
    guard: { ...ports.guard, identify: () => identity },
  }));
  const release = world.hold();
  const all = await open(world, '/events');
  identity = identified({ ...operator, tenant: '' });
  const none = rest(await open(world, '/events'));
  identity = identified(operator);
  await world.submit();
  await clock.advance(100);
  expect(await all()).toMatchObject({ data: { processState: 'Pending' } });
  // Both are another principal now, which ends their streams.
  identity = { kind: 'unknown' };
  await clock.advance(recheckMs);
  await rest(all);
  expect(await none).toEqual([]);
  release();
});

test.each(['/events', 'one order'])(
  'a follower of %s whose token is revoked, changed or cannot be checked is disconnected within seconds',
  async (path) => {
    const clock = virtualClock();
    let identity: Identity | Promise<Identity> = identified(operator);
    const world = await scenario((ports) => ({
      ...ports,
      clock,
      guard: { ...ports.guard, identify: () => identity },
    }));
    const release = world.hold();
    const id = await orderIdOf(await world.submit());
    const unreachable = Promise.reject(new Error('The provider of the keys is away.'));
    unreachable.catch(() => {});
    const changed = identified({ ...operator, tenant: 'inn' });
    for (const next of [{ kind: 'unknown' }, changed, unreachable] as const) {
      identity = identified(operator);
      const read = await open(world, path === '/events' ? path : `/orders/${id}/events`);
      await clock.advance(recheckMs);
      identity = next;
      const messages = rest(read);
      await clock.advance(recheckMs);
      await messages;
    }
    release();
  },
);

test('a token is checked again as often as docs/access.md says', () => {
  const sentence = 'The token of a follower of events is checked again every five seconds.';
  expect(readFileSync('docs/access.md', 'utf8')).toContain(sentence);
  expect(recheckMs).toBe(5_000);
});

test('a stream that has ended leaves no timer, which would keep the process', async () => {
  const clock = virtualClock();
  const world = await scenario((ports) => ({ ...ports, clock }));
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processed');
  await rest(await open(world, `/orders/${id}/events`));
  const response = await world.get('/events');
  expect(clock.pending()).toBeGreaterThan(0);
  await response.body?.cancel();
  expect(clock.pending()).toBe(0);
});
