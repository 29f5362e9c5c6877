/** The circuit that several instances of an agent share. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import type { Request } from '#core/model/message.ts';
import { queueClock } from '#distributed/queue-clock.ts';
import {
  type SharedCircuitBreaker,
  sharedCircuitBreaker,
} from '#distributed/shared-circuit-breaker.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import { call } from '../support/agent-requests.ts';
import { testLog } from '../support/log.ts';
import { memoryCircuits } from '../support/memory-circuits.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

function deployment() {
  const circuits = memoryCircuits();
  const clock = virtualClock();
  const log = testLog();
  let instances = 0;
  /** @param behindMs of its clock; its queue says so */
  const instance = (behindMs = 0) => {
    instances += 1;
    const own = { ...clock, now: () => clock.now() - behindMs };
    const time = queueClock({ now: own.now, uptime: clock.now });
    time.received([clock.now()]);
    return sharedCircuitBreaker({
      agent: 'paint',
      instance: `i${instances}`,
      circuits,
      clock: own,
      queueClock: time,
      log,
    });
  };
  /** A request that was sent now. */
  const request = (order: string, step = 'east') =>
    call(order, step, 1, clock.now() - Date.UTC(2026, 0, 1));
  return { circuits, clock, log, instance, request };
}

/** One attempt with one call; what the breaker said. */
async function attempt(
  breaker: SharedCircuitBreaker,
  request: Request,
  end: 'answered' | 'failed',
): Promise<'called' | 'deferred'> {
  try {
    if ((await breaker.begin(request)) !== null) return 'deferred';
    const admitted = breaker.admit(request);
    if ('gate' in admitted) return 'deferred';
    admitted[end]();
    return 'called';
  } finally {
    breaker.end(request);
    await breaker.stored();
  }
}

async function broken(world: ReturnType<typeof deployment>) {
  const breaker = world.instance();
  for (let at = 0; at < 5; at += 1) await attempt(breaker, world.request(`o${at}`), 'failed');
  expect(world.circuits.stored.get('paint')).toMatchObject({ state: 'open', epoch: 1 });
  return breaker;
}

test('while calls succeed, nothing is read or stored', async () => {
  const { circuits, instance, request } = deployment();
  const breaker = instance();
  for (let at = 0; at < 100; at += 1) await attempt(breaker, request(`o${at}`), 'answered');
  expect([circuits.reads(), circuits.writes()]).toEqual([0, 0]);
});

test('an instance that did not see the failures learns of the open circuit from its first one', async () => {
  const world = deployment();
  await broken(world);
  const other = world.instance();
  expect(await attempt(other, world.request('p'), 'failed')).toBe('called');
  expect(await attempt(other, world.request('q'), 'failed')).toBe('deferred');
  expect(other.state()).toBe('open');
  expect(world.circuits.changes).toEqual(['open']);
});

test('of all instances one makes the probe; when it is answered, all of them call again', async () => {
  const world = deployment();
  const first = await broken(world);
  const others = [world.instance(), world.instance()];
  for (const other of others) await attempt(other, world.request('p'), 'failed');
  await world.clock.advance(1_000);
  const all = [first, ...others];
  const requests = all.map((_, at) => world.request(`probe${at}`));
  const begun = await Promise.all(all.map((breaker, at) => breaker.begin(requests[at] ?? never())));
  expect(begun.filter((refusal) => refusal === null)).toHaveLength(1);
  const winner = begun.indexOf(null);
  const probe = all[winner]?.admit(requests[winner] ?? never());
  if (probe !== undefined && 'answered' in probe) probe.answered();
  for (const [at, breaker] of all.entries()) {
    breaker.end(requests[at] ?? never());
    await breaker.stored();
  }
  await world.clock.advance(1_000);
  for (const breaker of all) {
    expect(await attempt(breaker, world.request('after'), 'answered')).toBe('called');
  }
  expect(world.circuits.changes).toEqual(['open', 'half-open', 'recovering']);
});

test('a probe whose instance stopped is given up after its deadline', async () => {
  const world = deployment();
  const first = await broken(world);
  await world.clock.advance(1_000);
  expect(await first.begin(world.request('lost'))).toBeNull();
  const other = world.instance();
  await attempt(other, world.request('p'), 'failed');
  // A second of deadline, and five to store the end.
  await world.clock.advance(5_999);
  expect(await attempt(other, world.request('q'), 'answered')).toBe('deferred');
  await world.clock.advance(1_002);
  expect(await attempt(other, world.request('r'), 'answered')).toBe('called');
  expect(world.circuits.stored.get('paint')).toMatchObject({ state: 'recovering' });
});

test('a probe of an attempt that may take days is given up when no function can make it any more', async () => {
  const world = deployment();
  const one = await broken(world);
  const two = world.instance();
  await world.clock.advance(1_000);
  const dayMs = 86_400_000;
  const probe = { ...world.request('long'), endBy: world.clock.now() + dayMs };
  expect(await one.begin(probe)).toBeNull();
  await attempt(two, world.request('p'), 'failed');
  await world.clock.advance(15 * 60_000);
  expect(await attempt(two, world.request('q'), 'answered')).toBe('deferred');
  await world.clock.advance(6_000);
  expect(await attempt(two, world.request('r'), 'answered')).toBe('called');
});

test('a probe is given up no sooner because the clock of its instance is behind', async () => {
  const world = deployment();
  const one = await broken(world);
  const behind = world.instance(26 * 60_000);
  await attempt(behind, world.request('p'), 'failed');
  await world.clock.advance(1_000);
  // By its clock the probe would be due in 26 minutes; a clock that was set back says that it has come.
  expect(await behind.begin(world.request('probe'))).toBeNull();
  expect(await attempt(one, world.request('q'), 'answered')).toBe('deferred');
});

test('a probe that fails delays the next one, for all instances', async () => {
  const world = deployment();
  const first = await broken(world);
  await world.clock.advance(1_000);
  expect(await attempt(first, world.request('p'), 'failed')).toBe('called');
  const other = world.instance();
  await attempt(other, world.request('q'), 'failed');
  await world.clock.advance(1_999);
  expect(await attempt(other, world.request('r'), 'failed')).toBe('deferred');
  await world.clock.advance(1);
  expect(await attempt(other, world.request('s'), 'failed')).toBe('called');
  expect(world.circuits.stored.get('paint')).toMatchObject({ state: 'open', probes: 2 });
});

test('an instance whose write got lost finds that it is the probe', async () => {
  const world = deployment();
  const first = await broken(world);
  await world.clock.advance(1_000);
  world.circuits.loseAnswer();
  expect(await attempt(first, world.request('p'), 'answered')).toBe('called');
  expect(world.circuits.stored.get('paint')).toMatchObject({ state: 'recovering' });
});

test('an earlier probe of the same step, whose write failed and took effect, is not taken for the present one', async () => {
  const world = deployment();
  const first = await broken(world);
  await world.clock.advance(1_000);
  world.circuits.breakOff();
  expect(await attempt(first, world.request('p'), 'answered')).toBe('deferred');
  // Then the stored probe is given up: a second delivery of the present one would begin another.
  await world.clock.advance(10_000);
  world.circuits.fail(true);
  const begun = first.begin(world.request('p'));
  world.circuits.fail(false);
  expect(await begun).toMatchObject({ gate: 'circuit' });
  const next = world.request('p');
  expect(await first.begin(next)).toBeNull();
  expect(world.circuits.stored.get('paint')).toMatchObject({ probeUntil: next.completeBy + 5_000 });
});

test('while the store gives no answer, each instance goes by its own calls, and nobody probes', async () => {
  const world = deployment();
  world.circuits.fail(true);
  const breaker = world.instance();
  for (let at = 0; at < 5; at += 1) await attempt(breaker, world.request(`o${at}`), 'failed');
  expect(breaker.state()).toBe('open');
  await world.clock.advance(1_000);
  expect(await attempt(breaker, world.request('p'), 'answered')).toBe('deferred');
  expect(world.log.lines.map(({ event }) => event)).toContain('circuit-unavailable');
  world.circuits.fail(false);
  await world.clock.advance(1_000);
  expect(await attempt(breaker, world.request('q'), 'answered')).toBe('called');
});

test('an outage that follows another one after hours opens the circuit again', async () => {
  const world = deployment();
  const first = await broken(world);
  await world.clock.advance(1_000);
  await attempt(first, world.request('p'), 'answered');
  await world.clock.advance(3 * 3_600_000);
  const other = world.instance();
  for (let at = 0; at < 5; at += 1) await attempt(other, world.request(`o${at}`), 'failed');
  expect(other.state()).toBe('open');
  const { since } = world.circuits.stored.get('paint') ?? { since: 0 };
  expect(since).toBe(world.clock.now());
});

test('an attempt that waited for more than half of its time is given back', async () => {
  const { instance, clock, request } = deployment();
  const late = request('late');
  await clock.advance(501);
  expect(await instance().begin(late)).toEqual({ gate: 'concurrency', retryAfterMs: 60_000 });
});

test('at any time at most one probe of an epoch is in flight (R27)', async () => {
  const moves = fc.array(
    fc.record({
      at: fc.nat(3),
      what: fc.constantFrom('begin', 'answered', 'failed', 'failed', 'stops', 'wait'),
      ms: fc.nat(3_000),
    }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      const world = deployment();
      const instances = Array.from({ length: 4 }, world.instance);
      const inFlight = new Map<number, Request>();
      const probes = new Map<number, string>();
      for (const [number, { at, what, ms }] of steps.entries()) {
        const breaker = instances[at] ?? never();
        const own = inFlight.get(at);
        if (what === 'wait') await world.clock.advance(ms);
        else if (what === 'stops') {
          instances[at] = world.instance();
          inFlight.delete(at);
        } else if (own === undefined) {
          const request = world.request(`o${number}`);
          if ((await breaker.begin(request)) === null) inFlight.set(at, request);
        } else {
          const admitted = breaker.admit(own);
          if (what !== 'begin' && 'answered' in admitted) admitted[what]();
          breaker.end(own);
          await breaker.stored();
          inFlight.delete(at);
        }
        const stored = world.circuits.stored.get('paint');
        if (stored?.state !== 'half-open') continue;
        const { epoch, probe } = stored;
        expect(probes.get(epoch) ?? probe).toBe(probe);
        probes.set(epoch, probe);
      }
    }),
    { numRuns: 200 },
  );
});

function never(): never {
  throw new Error('there is one');
}

test('a request that is delivered to two instances at once is the probe of one', async () => {
  const world = deployment();
  const first = await broken(world);
  const other = world.instance();
  await attempt(other, world.request('p'), 'failed');
  await world.clock.advance(1_000);
  const request = world.request('twice');
  const begun = await Promise.all([first.begin(request), other.begin(request)]);
  expect(begun.filter((refusal) => refusal === null)).toHaveLength(1);
});

test('an instance that does not make the probe neither repeats nor ends it', async () => {
  const world = deployment();
  const first = await broken(world);
  await world.clock.advance(1_000);
  const request = world.request('twice');
  expect(await first.begin(request)).toBeNull();
  const other = world.instance();
  await attempt(other, world.request('p'), 'failed');
  expect(await attempt(other, request, 'answered')).toBe('deferred');
  expect(world.circuits.stored.get('paint')).toMatchObject({ state: 'half-open', by: 'i1' });
});

test('an instance that could not store its change does not overwrite the probe of another one with it', async () => {
  const world = deployment();
  world.circuits.fail(true);
  const late = world.instance();
  for (let at = 0; at < 5; at += 1) await attempt(late, world.request(`o${at}`), 'failed');
  world.circuits.fail(false);
  const other = await broken(world);
  await world.clock.advance(1_000);
  expect(await other.begin(world.request('probe'))).toBeNull();
  const before = world.circuits.stored.get('paint');
  await attempt(late, world.request('p'), 'failed');
  await attempt(late, world.request('probe'), 'failed');
  expect(world.circuits.stored.get('paint')).toEqual(before);
});

test('a half-open circuit is stored with the end of its probe, also by a write that was asked for before (R27)', async () => {
  const clock = virtualClock();
  const real = memoryCircuits();
  const stored: SharedCircuit[] = [];
  let answers: (() => void)[] = [];
  let isSlow = false;
  const circuits: Circuits = {
    ...real,
    async store(agent, circuit, after) {
      stored.push(circuit);
      if (isSlow) await new Promise<void>((resolve) => answers.push(resolve));
      return real.store(agent, circuit, after);
    },
  };
  const breaker = sharedCircuitBreaker({
    ...{
      agent: 'paint',
      instance: 'one',
      circuits,
      clock,
      queueClock: queueClock({ now: clock.now, uptime: clock.now }),
      log: testLog(),
    },
  });
  const request = (order: string) => call(order, 'east', 1, clock.now() - Date.UTC(2026, 0, 1));
  for (let at = 0; at < 5; at += 1) await attempt(breaker, request(`o${at}`), 'failed');
  clock.jump(1_500);
  const probe = request('probe');
  await breaker.begin(probe);
  const probing = breaker.admit(probe);
  isSlow = true;
  if (!('gate' in probing)) probing.answered();
  breaker.end(probe);
  for (let at = 0; at < 8; at += 1) {
    const failing = request(`again-${at}`);
    await breaker.begin(failing);
    const admitted = breaker.admit(failing);
    if (!('gate' in admitted)) admitted.failed();
  }
  expect(breaker.state()).toBe('open');
  clock.jump(1_500);
  const begun = breaker.begin(request('second-probe'));
  for (let rounds = 0; rounds < 10; rounds += 1) {
    await settled();
    for (const answer of answers.splice(0)) answer();
  }
  answers = [];
  await begun;
  const ends = stored.flatMap((one) => (one.state === 'half-open' ? [one.probeUntil] : []));
  expect(ends.length).toBeGreaterThan(1);
  for (const end of ends) expect(end).toBeGreaterThan(clock.now() - 10_000);
});
