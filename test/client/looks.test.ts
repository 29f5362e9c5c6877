/** How the client looks at an order that is waited for, and which refusals it takes for a moment's. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ReeveClientOptions, reeveClient } from '#client/reeve-client.ts';

const url = 'http://reeve.example';

/** The limit of a request is 30 s; every other timer is a wait, which ends at once. Returns them, ms. */
function waitsAtOnce(): readonly number[] {
  const waits: number[] = [];
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((work, ms = 0) => {
    if (ms < 10_000) {
      waits.push(ms);
      setImmediate(work);
    }
    return {} as NodeJS.Timeout;
  });
  onTestFinished(() => timers.mockRestore());
  return waits;
}

/** A client whose looks find these revisions, one after the other; and the times that it waits between them, ms. */
function looking(revisions: readonly number[], options: Partial<ReeveClientOptions> = {}) {
  const waits = waitsAtOnce();
  const left = [...revisions];
  const client = reeveClient({
    url,
    fetch: async () => {
      const revision = left.shift();
      const processState = left.length === 0 ? 'Processed' : 'Processing';
      return Response.json({ workflow: 'shop', revision, processState, fault: null, steps: {} });
    },
    ...options,
  });
  return { waits, order: client.order('shop', 'o-1') };
}

test('the time between two looks grows up to its limit, and anew after a change', async () => {
  const { waits, order } = looking([1, 1, 1, 1, 1, 2, 2, 3], { pollMaxMs: 120 });
  expect(await order.result()).toEqual({ state: 'Processed', outputs: {} });
  expect(waits).toEqual([50, 75, 112.5, 120, 120, 50, 75]);
});

test('the waits between looks leave no listener at a signal', async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  const { waits, order } = looking([1, 1, 1, 2]);
  await order.result({ signal });
  expect(waits).toHaveLength(3);
  expect(removed.mock.calls.length).toBe(added.mock.calls.length);
});

test.each([
  [408, 2],
  [500, 2],
  [501, 1],
  [502, 2],
  [503, 2],
  [504, 2],
  [505, 1],
  [403, 1],
])('a read that is answered %i is sent %i times', async (status, times) => {
  let sent = 0;
  waitsAtOnce();
  const client = reeveClient({
    url,
    fetch: async () => {
      sent += 1;
      return sent === 1
        ? new Response('<html>', { status })
        : Response.json({ orders: [], cursor: null });
    },
  });
  const outcome = await client.list().catch((error: unknown) => error);
  expect([sent, outcome]).toMatchObject(
    times === 2 ? [2, { orders: [] }] : [1, { code: 'answer-unknown', status }],
  );
});
