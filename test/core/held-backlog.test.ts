/** What the orders that wait for agents mean for one more order. */
import { describe, expect, test } from 'vitest';
import {
  type Counted,
  countedClass,
  type FlowCount,
  type HeldClass,
  loadOf,
} from '#core/flow/held-backlog.ts';

const now = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;

const of = (waiting: number, early = 0, flow = 'a'): FlowCount => ({ flow, waiting, early });
const counted = (counts: readonly FlowCount[], more: Partial<Counted> = {}): Counted => ({
  ...{ agent: 'paint', priority: 'normal', isUnavailable: false, counts },
  ...more,
});

describe('the rate', () => {
  const first = countedClass(undefined, counted([of(600)]), now);
  const known: HeldClass = { ...first, perSecond: 10 };

  test('is not known at first', () => {
    expect(first).toMatchObject({ perSecond: null, from: now, waiting: 600, waitingFrom: 600 });
  });

  test.each<[string, HeldClass, Counted, number, Partial<HeldClass>]>([
    [
      'is that of the orders that wait no more',
      first,
      counted([of(900, 300)]),
      minuteMs,
      { perSecond: 5, from: now + minuteMs, waitingFrom: 900 },
    ],
    [
      'is the mean of the latest measurement and those before',
      known,
      counted([of(900, 300)]),
      minuteMs,
      { perSecond: 7.5 },
    ],
    [
      'is measured for longer when few orders have started',
      known,
      counted([of(900, 593)]),
      minuteMs,
      { perSecond: 10, from: now, waitingFrom: 600, waiting: 900 },
    ],
    [
      'is measured for five minutes at most, of however few orders',
      first,
      counted([of(900, 597)]),
      5 * minuteMs,
      { perSecond: 0.01, from: now + 5 * minuteMs },
    ],
    [
      'is low when none has started in five minutes, and not zero',
      first,
      counted([of(900, 600)]),
      5 * minuteMs,
      { perSecond: 1 / 300 },
    ],
    [
      'does not fall when all orders have started: more could have',
      { ...known, perSecond: 100 },
      counted([of(5)]),
      minuteMs,
      { perSecond: 100, from: now + minuteMs, waitingFrom: 5 },
    ],
    [
      'is that from before while the service is unavailable',
      known,
      counted([of(900, 550)], { isUnavailable: true }),
      minuteMs,
      { perSecond: 10, from: now + minuteMs, waitingFrom: 900, isUnavailable: true },
    ],
    [
      'does not count the time of an outage',
      { ...known, isUnavailable: true },
      counted([of(900, 100)]),
      minuteMs,
      { perSecond: 10, from: now + minuteMs },
    ],
    [
      'is kept when a clock went back',
      known,
      counted([of(900, 100)]),
      -minuteMs,
      { perSecond: 10, from: now - minuteMs },
    ],
  ])('%s', (_, before, counts, afterMs, expected) => {
    expect(countedClass(before, counts, now + afterMs)).toMatchObject(expected);
  });
});

test('ten tenants are listed, those with the most orders first', () => {
  const small = Array.from({ length: 50 }, (_, at) => of(2, 0, `small-${at}`));
  const large = Array.from({ length: 12 }, (_, at) => of(20 + at, 0, `large-${at}`));
  const { largest, flows, waiting } = countedClass(undefined, counted([...small, ...large]), now);
  expect({ flows, waiting }).toEqual({ flows: 62, waiting: 406 });
  expect(largest.map(({ flow }) => flow)).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((at) => `large-${at}`),
  );
});

test('of ten tenants or fewer, each waits for its own orders', () => {
  const flows = [of(900, 0, 'flood'), of(90, 0, 'usual'), of(2, 0, 'small')];
  const paint = { ...countedClass(undefined, counted(flows), now), perSecond: 3 };
  const none = { ofFlow: 0, inAll: 0 };
  const loads = flows.map(({ flow }) =>
    loadOf(
      { at: now, classes: [paint] },
      { agents: ['paint'], priority: 'normal', flow },
      none,
      now,
    ),
  );
  expect(loads.map(({ waiting }) => waiting)).toEqual([900, 90, 2]);
});

describe('the load that an order meets', () => {
  const none = { ofFlow: 0, inAll: 0 };
  const paint: HeldClass = {
    agent: 'paint',
    priority: 'normal',
    isUnavailable: false,
    waiting: 1_000,
    flows: 4,
    largest: [{ flow: 'flood', waiting: 940 }],
    perSecond: 20,
    from: now,
    waitingFrom: 1_000,
  };
  const print: HeldClass = {
    ...paint,
    agent: 'print',
    waiting: 60,
    flows: 1,
    largest: [],
    perSecond: 2,
  };
  const offer = (flow: string, agents = ['paint']) =>
    ({ agents, priority: 'normal', flow }) as const;
  const load = (flow: string, agents?: string[], accepted = none, afterMs = 0) =>
    loadOf({ at: now, classes: [paint, print] }, offer(flow, agents), accepted, now + afterMs);

  test('a listed tenant waits for its own orders, at its share of the rate', () => {
    expect(load('flood')).toMatchObject({ waiting: 940, perSecond: 5, shares: 3.76 });
  });

  test('another one has as many as the others have on average', () => {
    expect(load('small')).toMatchObject({ waiting: 20, perSecond: 5, shares: 0.08 });
  });

  test('with several agents, an order waits for all of them, at the rate of the slowest one', () => {
    expect(load('small', ['paint', 'print'])).toMatchObject({ waiting: 80, perSecond: 2 });
  });

  test('a tenant beside a flood has no order that waits', () => {
    const flood = { ...paint, flows: 1, largest: [{ flow: 'flood', waiting: 1_000 }] };
    const beside = loadOf({ at: now, classes: [flood] }, offer('small'), none, now);
    expect(beside).toMatchObject({ waiting: 0, perSecond: 10, shares: 0 });
  });

  test('orders that started since are left out, and those accepted since are added', () => {
    const accepted = { ofFlow: 100, inAll: 300 };
    expect(load('flood', ['paint'], accepted, 30_000)).toMatchObject({
      waiting: 940 + 100 - 150,
      waitingInAll: 1_360,
      inAllPerSecond: 22,
    });
    expect(load('small', ['paint'], none, 30_000).waiting).toBe(0);
  });

  test('while a service is unavailable, none has started since', () => {
    const classes = [{ ...paint, isUnavailable: true }, print];
    expect(loadOf({ at: now, classes }, offer('flood'), none, now + 30_000)).toMatchObject({
      waiting: 940,
      perSecond: 5,
      inAllPerSecond: null,
    });
  });

  test('another class, and a workflow whose agents keep up, do not wait', () => {
    const free = { waiting: 0, perSecond: null, shares: 0, waitingInAll: 1_060 };
    expect(load('flood', ['fold'])).toMatchObject(free);
    const low = { agents: ['paint'], priority: 'low', flow: 'flood' } as const;
    expect(loadOf({ at: now, classes: [paint, print] }, low, none, now)).toMatchObject(free);
  });
});

test('orders of small tenants that came and left within a period are not seen: the tenants with many say what each receives', () => {
  const small = Array.from({ length: 7 }, (_, at) => of(2, 0, `small-${at}`));
  const before = countedClass(undefined, counted([of(600, 0, 'flood'), ...small]), now);
  const all = counted([of(900, 480, 'flood'), ...small]);
  // 120 of each in a minute.
  expect(countedClass(before, all, now + minuteMs).perSecond).toBe((8 * 120) / 60);
});

test('a class of which all orders have left has no rate: it is not behind', () => {
  const before = countedClass(undefined, counted([of(3)]), now);
  expect(countedClass(before, counted([of(2)]), now + minuteMs).perSecond).toBeNull();
});

describe('with weights', () => {
  const weightOf = (flow: string) => (flow === 'inn' ? 4 : 1);
  const flows = [of(600, 0, 'inn'), of(600, 0, 'bar'), of(2, 0, 'spa')];
  const first = countedClass(undefined, counted(flows), now, weightOf);

  test('what a tenant receives counts by its weight', () => {
    const later = counted([of(560, 560, 'inn'), of(590, 590, 'bar'), of(5, 0, 'spa')]);
    const { perSecond } = countedClass(first, later, now + minuteMs, weightOf);
    expect(perSecond).toBe((6 * 10) / 60);
  });

  test.each([
    ['inn', { waiting: 600, perSecond: 4, shares: expect.closeTo(0.75, 2) }],
    ['bar', { waiting: 600, perSecond: 1, shares: expect.closeTo(2.995, 2) }],
    ['new', { waiting: 0, perSecond: 6 / 7, shares: 0 }],
  ])('the orders of %s leave at its part of the rate', (flow, expected) => {
    const classes = [{ ...first, perSecond: 6 }];
    const offered = { agents: ['paint'], priority: 'normal', flow } as const;
    const none = { ofFlow: 0, inAll: 0 };
    expect(loadOf({ at: now, classes }, offered, none, now, weightOf)).toMatchObject(expected);
  });
});
