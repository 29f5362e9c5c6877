import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import {
  at,
  declined,
  inError,
  look,
  looks,
  nobodyThere,
  order,
  processed,
  scenario,
  step,
  terminal,
} from './scenario.ts';

const busy = {
  processState: 'Processing',
  revision: 3,
  tenant: 'acme',
  correlationId: 'po-7',
  lockedBy: 'scheduler-1',
  completeBy: at(3),
  failureCount: 2,
  steps: {
    reserve: step('Completed', { agent: 'inventory' }),
    charge: step('Running', { attempt: 12, failures: 2, completeBy: at(3) }),
  },
};

/** Without the spaces that align columns. */
const words = (text: string) =>
  text.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '));

test('show prints the order, its steps and its history', async () => {
  const { app, run } = scenario();
  looks(app, look(busy));
  const { exitCode, stdout } = await run('show o-1');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Order o-1  ● Processing
      workflow     order-fulfilment, version 1
      priority     normal
      tenant       acme
      correlation  po-7
      direction    forward
      locked by    scheduler-1
      complete-by  in 3 s
      failures     2 in all
      submitted    2 s ago
      updated      2 s ago

    STEP     STATE        ATTEMPT  FAILURES  AGENT      COMPLETE-BY  FAULT
    reserve  ✓ Completed        1         0  inventory  –
    charge   ● Running         12         2  payment    in 3 s

    HISTORY
      2 s ago  submitted
    "
  `);
});

const heldStep = (agent: string, gate: string, seconds: number) =>
  step('Held', { agent, held: { gate, since: at(seconds), until: at(900) } });

test('an order of which every call is held waits for its agents, not for the end of its hold', async () => {
  const { app, run } = scenario();
  const steps = {
    charge: heldStep('payment', 'circuit', -60),
    refund: heldStep('payment', 'circuit', -120),
    pack: heldStep('packing', 'concurrency', -5),
    send: heldStep('mail', 'a-newer-gate', -5),
  };
  looks(app, look({ steps, completeBy: at(900), notBefore: at(900) }));
  const { stdout } = await run('show o-1');
  expect(words(stdout)).toEqual(
    expect.arrayContaining([
      'waits for | payment: its circuit breaker is open, since 2 min ago',
      'waits for | packing: it has as many calls as it can begin in time, since 5 s ago',
      'waits for | mail: it accepts no call now (a-newer-gate), since 5 s ago',
    ]),
  );
  const [facts] = stdout.split('STEP');
  expect(facts).not.toMatch(/complete-by|not before|in 15 min/);
});

test('an order that waits for its turn shows the order that it waits behind', async () => {
  const { app, run } = scenario();
  const steps = { pick: heldStep('packing', 'turn', -60), pack: heldStep('mail', 'turn', -60) };
  const turn = { behind: 'o-0', replaces: false, since: null };
  looks(app, look({ steps, turn, completeBy: at(900), notBefore: at(900) }));
  expect(words((await run('show o-1')).stdout)).toContain(
    'waits for | order o-0 and earlier ones of its singleton key, since 60 s ago',
  );
});

test('an order that waits for later ones says that one of them may replace it, until it begins', async () => {
  const { app, run } = scenario();
  const waiting = { pick: step('NotStarted', { attempt: 0 }) };
  const turn = { behind: null, replaces: false, since: at(-2) };
  const history = [{ at: at(-2), type: 'submit', by: 'ada', notBefore: at(3) }];
  looks(app, look({ steps: waiting, turn, history, completeBy: at(3), notBefore: at(3) }));
  const shown = words((await run('show o-1')).stdout);
  const replaced = 'unless a later order of its singleton key replaces it before';
  expect(shown).toContain(`not before | in 3 s, ${replaced}`);
  expect(shown).toContain('2 s ago | submitted by ada, to begin after 5 s');
  for (const changed of [
    { turn: { ...turn, since: null } },
    { direction: 'undo' },
    { steps: { pick: step('NotStarted', { attempt: 1 }) } },
  ]) {
    const other = scenario();
    looks(other.app, look({ steps: waiting, turn, notBefore: at(3), ...changed }));
    expect(words((await other.run('show o-1')).stdout)).toContain('not before | in 3 s');
  }
});

test('an order with a held step and a call under way shows both', async () => {
  const { app, run } = scenario();
  const steps = { ...busy.steps, pack: heldStep('packing', 'concurrency', -5) };
  looks(app, look({ ...busy, steps }));
  const shown = words((await run('show o-1')).stdout);
  expect(shown).toContain('complete-by | in 3 s');
  expect(shown).toContain(
    'waits for | packing: it has as many calls as it can begin in time, since 5 s ago',
  );
});

test('show prints the input and output of each step, as the API returns them', async () => {
  const { app, run } = scenario();
  const steps = {
    reserve: step('Completed', { input: { token: '[redacted]' }, output: { note: 'a\x9bb' } }),
    charge: step('Running', { input: { text: 'x'.repeat(2_000) } }),
    ship: step('NotStarted', { input: null }),
  };
  looks(app, look({ steps }));
  const { stdout } = await run('show o-1');
  const [, , shown = ''] = stdout.split('\n\n');
  expect(shown.split('\n').slice(0, 5)).toEqual([
    'INPUTS AND OUTPUTS',
    '  reserve',
    '    input   {"token":"[redacted]"}',
    '    output  {"note":"a b"}',
    '  charge',
  ]);
  expect(shown).toContain('x … (2,011 characters; --json prints all)');
  expect(shown).not.toContain('ship');
});

test('show --json prints the whole document', async () => {
  const { app, run } = scenario();
  looks(app, look(busy));
  expect(await run('show o-1 --json')).toEqual({
    exitCode: 0,
    stdout: `${JSON.stringify(order(busy))}\n`,
    stderr: '',
  });
});

test('an order in Error shows its fault and the possible actions, and exits 0', async () => {
  const { app, run } = scenario();
  looks(app, look(inError));
  const { exitCode, stdout } = await run('show o-1');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Fault in step charge: the card was declined');
  expect(words(stdout)).toEqual(
    expect.arrayContaining([
      'Next: | reeve resubmit o-1 | to repeat the step',
      'or: | reeve cancel o-1 | to undo all effects',
    ]),
  );
});

test.each([
  ['undo', 'in 5 min, then undone'],
  ['hold', 'in 5 min, then held for an operator'],
])('the deadline of an order is shown, with what follows: %s', async (onLate, shown) => {
  const { app, run } = scenario();
  looks(app, look({ deadline: { lateAt: at(300), onLate } }));
  expect(words((await run('show o-1')).stdout)).toContain(`deadline | ${shown}`);
});

test('an order without a deadline shows none', async () => {
  const { app, run } = scenario();
  looks(app, look({ deadline: null }));
  expect((await run('show o-1')).stdout).not.toContain('deadline');
});

test.each([{ processState: 'Processed' }, { direction: 'undo' }])(
  'an order that is never late any more shows no deadline: %j',
  async (order) => {
    const { app, run } = scenario();
    looks(app, look({ ...order, deadline: { lateAt: at(300), onLate: 'undo' } }));
    expect((await run('show o-1')).stdout).not.toContain('deadline');
  },
);

test('an order that is stuck in its undo can only be resubmitted', async () => {
  const { app, run } = scenario();
  const fault = { ...declined, effect: 'possible', step: 'reserve', action: 'undo' };
  const actions = { ...inError.actions, correct: 'already-undoing', cancel: 'already-undoing' };
  looks(app, look({ ...inError, actions, direction: 'undo', fault }));
  const { stdout } = await run('show o-1');
  expect(stdout).toContain('Fault in the undo of step reserve: ');
  expect(stdout).toContain('it may have had an effect');
  expect(words(stdout)).toContain('Next: | reeve resubmit o-1 | to repeat the undo');
  expect(stdout).not.toContain('reeve cancel');
});

test('a cool-down, a doubt and a fault of no step are shown', async () => {
  const { app, run } = scenario();
  const fault = { code: 'cancelled', message: 'Cancelled by api.', effect: 'none' };
  const steps = { reserve: step('NotStarted', { inDoubt: true }), charge: step('Undoing') };
  const orderFault = { ...fault, step: null, action: null };
  looks(app, look({ notBefore: at(300), steps, fault: orderFault, direction: 'undo' }));
  const { stdout } = await run('show o-1');
  expect(words(stdout)).toContain(
    'not before | in 5 min: until then, a call of reserve may be at work, whose effect is then undone',
  );
  expect(stdout).toContain('in doubt: it may have had an effect');
  expect(stdout).toContain('↶ Undoing');
  expect(stdout).toContain('Fault: Cancelled by api (cancelled; it had no effect)');
});

const sentences: readonly [object, string][] = [
  [{ type: 'submit' }, 'submitted'],
  [{ type: 'submit', by: 'ada' }, 'submitted by ada'],
  [{ type: 'claim', by: 's-1', definitionUnknown: false }, 'Scheduler s-1 claimed it'],
  [
    { type: 'claim', by: 's-1', definitionUnknown: true },
    'Scheduler s-1 claimed it, but does not know its workflow',
  ],
  [{ type: 'stepSucceeded', step: 'charge', attempt: 2 }, 'step charge completed (attempt 2)'],
  [{ type: 'undoSucceeded', step: 'charge', attempt: 3 }, 'step charge undone (attempt 3)'],
  [{ type: 'heartbeat', step: 'charge', attempt: 1 }, 'heartbeat of step charge (attempt 1)'],
  [
    { type: 'stepFailed', step: 'charge', attempt: 1, fault: declined },
    'step charge failed (attempt 1): the card was declined (declined; it had no effect)',
  ],
  [
    { type: 'undoFailed', step: 'charge', attempt: 1, fault: { ...declined, effect: 'possible' } },
    'undo of step charge failed (attempt 1): the card was declined (declined; it may have had an effect)',
  ],
  [{ type: 'expired', steps: ['charge'], nudges: 0 }, 'step charge timed out'],
  [{ type: 'expired', steps: ['a', 'b', 'c'], nudges: 0 }, 'steps a, b, and c timed out'],
  [
    { type: 'expired', steps: [], nudges: 0, late: true },
    'the order was not finished by its deadline',
  ],
  [
    { type: 'expired', steps: ['a'], nudges: 0, late: true },
    'step a timed out; the order was not finished by its deadline',
  ],
  [{ type: 'expired', steps: [], nudges: 1 }, 'not claimed yet: nudged once'],
  [{ type: 'expired', steps: [], nudges: 4 }, 'not claimed yet: nudged 4 times'],
  [{ type: 'expired', steps: [], nudges: 0 }, 'the Supervisor made it due again'],
  [
    { type: 'interrupted', reason: 'restart', steps: ['charge'], nudges: 0, notBefore: at(-30) },
    'Reeve was restarted: step charge interrupted, no failure counted',
  ],
  [
    { type: 'interrupted', reason: 'outage', steps: [], nudges: 2, notBefore: at(-10) },
    'Reeve had an outage: not claimed yet: nudged 2 times; continues after 20 s',
  ],
  [{ type: 'resubmit', by: 'api' }, 'resubmitted by api'],
  [
    { type: 'resubmit', by: 'api', corrected: ['payment.token', 'customer'] },
    'resubmitted by api, who corrected payment.token and customer',
  ],
  [{ type: 'cancel', by: 'api' }, 'cancelled by api'],
  [{ type: 'rebalanced', shards: 3 }, 'rebalanced'],
];

test.each(sentences)('history entry %j reads as a sentence', async (entry, sentence) => {
  const { app, run } = scenario();
  looks(app, look({ history: [{ at: at(-30), ...entry }] }));
  const { stdout } = await run('show o-1');
  expect(words(stdout)).toContain(`30 s ago | ${sentence}`);
});

test.each([
  [-0.4, 'now'],
  [-89, '89 s ago'],
  [-120, '2 min ago'],
  [-3 * 3_600, '3 h ago'],
  [-3 * 86_400, '3 days ago'],
  [7, 'in 7 s'],
])('an instant %d s from now is "%s"', async (seconds, expected) => {
  const { app, run } = scenario();
  looks(app, look({ completeBy: at(seconds) }));
  const { stdout } = await run('show o-1');
  expect(words(stdout)).toContain(`complete-by | ${expected}`);
});

test('escape sequences in a fault do not reach the terminal', async () => {
  const { app, run } = scenario();
  const fault = { ...inError.fault, message: 'no\x1b[2J\x9b5n\nway' };
  looks(app, look({ ...inError, fault }));
  const { stdout } = await run('show o-1');
  expect(stdout).toContain('no [2J 5n way');
});

const watched = [
  look(),
  look(),
  look({ revision: 2, history: [...order().history, { at: at(0), type: 'cancel', by: 'api' }] }),
  look({
    ...processed,
    history: [
      ...order().history,
      { at: at(0), type: 'cancel', by: 'api' },
      { at: at(1), type: 'expired', steps: [], nudges: 1 },
    ],
  }),
];

test('show --watch prints each change as a line where there is no terminal', async () => {
  const { app, run } = scenario();
  looks(app, ...watched);
  const { exitCode, stdout } = await run('show o-1 --watch');
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toEqual([
    '2026-01-02T03:04:03.000Z  submitted',
    '2026-01-02T03:04:05.000Z  cancelled by api',
    '2026-01-02T03:04:06.000Z  not claimed yet: nudged once',
    'Order o-1  ✓ Processed',
    '',
  ]);
});

test('an entry whose count increases is printed again', async () => {
  const { app, run } = scenario();
  const nudged = (nudges: number) => ({
    history: [...order().history, { at: at(nudges), type: 'expired', steps: [], nudges }],
  });
  looks(app, look({ revision: 2, ...nudged(1) }), look({ ...inError, ...nudged(2) }));
  const { exitCode, stdout } = await run('show o-1 --watch');
  expect(exitCode).toBe(6);
  expect(stdout.split('\n').slice(1, 4)).toEqual([
    '2026-01-02T03:04:06.000Z  not claimed yet: nudged once',
    '2026-01-02T03:04:07.000Z  not claimed yet: nudged 2 times',
    'Order o-1  ✗ Error',
  ]);
});

test('show --watch prints each entry once, also where the history was shortened meanwhile', async () => {
  const { app, run } = scenario();
  const [first = {}] = order().history;
  const entries = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, nth) => ({
      at: at(0),
      type: `change-${from + nth}`,
    }));
  const shortened = (dropped: number) => ({ at: at(0), type: 'shortened', entries: dropped });
  looks(
    app,
    look({ history: [first, ...entries(2, 40)] }),
    // Those of numbers 2 to 31 were dropped, and all but the last two were printed before.
    look({ revision: 2, history: [first, shortened(30), ...entries(32, 42)] }),
    // Number 43 was dropped before it was seen.
    look({ ...processed, history: [first, shortened(42), ...entries(44, 50)] }),
  );
  const { stdout } = await run('show o-1 --watch');
  const printed = stdout
    .trim()
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('  ')[1]);
  const types = (from: number, to: number) => entries(from, to).map(({ type }) => type);
  expect(printed).toEqual([
    ...types(2, 42),
    'the record of the order was full: 42 older entries were dropped',
    ...types(44, 50),
  ]);
});

test('a terminal that does not know its size shows the history too', async () => {
  const { app, run } = scenario({ terminal: () => ({ columns: 0, rows: 0 }) });
  looks(app, look({ history: [{ at: at(-1), type: 'change-1' }] }), look(processed));
  const { stdout } = await run('show o-1 --watch');
  expect(stdout.split('\x1b[H')[1]).toContain('change-1');
});

test.each(['\x1b[2J', '\x9b2J'])(
  'a file that is not JSON does not reach the terminal: %j',
  async (text) => {
    const { run } = scenario({ readFile: async () => new TextEncoder().encode(text) });
    const { exitCode, stderr } = await run('submit orders.jsonl --lines');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('Line 1 of orders.jsonl is not JSON'),
    ]);
    expect(stderr.trimEnd()).not.toMatch(/[^\P{Cc}\n]/u);
  },
);

test('show --watch --json prints one document per revision', async () => {
  const { app, run } = scenario();
  looks(app, ...watched);
  const { exitCode, stdout } = await run('show o-1 --watch --json');
  expect(exitCode).toBe(0);
  const documents = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(documents.map(({ revision }) => revision)).toEqual([1, 2, 4]);
});

test('show --watch redraws on a terminal, and prints the whole order at the end', async () => {
  const { app, run } = scenario(terminal);
  looks(app, look(busy), look(processed));
  const { exitCode, stdout } = await run('show o-1 --watch');
  expect(exitCode).toBe(0);
  const [cleared, ...frames] = stdout.split('\x1b[H');
  expect(cleared).toBe('\x1b[2J');
  expect(frames).toHaveLength(3);
  expect(frames[0]).toContain('Running');
  expect(frames[2]).toContain('HISTORY');
});

test('a frame never has more rows than the terminal, and keeps the latest history', async () => {
  const { app, run } = scenario({ terminal: () => ({ columns: 80, rows: 20 }) });
  const history = Array.from({ length: 50 }, (_, n) => ({ at: at(-1), type: `change-${n}` }));
  looks(app, look({ history }), look(processed));
  const { stdout } = await run('show o-1 --watch');
  const frame = stdout.split('\x1b[H')[1] ?? '';
  expect(frame.split('\n')).toHaveLength(20);
  expect(frame).toContain('change-49');
  expect(frame).not.toContain('change-0\x1b');
});

test('the frame shows an outage during a watch', async () => {
  const { app, run } = scenario(terminal);
  looks(app, look(busy), () => new Response('gateway', { status: 502 }), look(processed));
  const { exitCode, stdout } = await run('show o-1 --watch');
  expect(exitCode).toBe(0);
  expect(stdout.split('\x1b[H')[2]).toContain('Reeve does not answer');
});

test('a watch that reaches no server at first exits 4', async () => {
  const { run, sleeps } = scenario({ fetch: nobodyThere });
  expect((await run('show o-1 --watch')).exitCode).toBe(4);
  expect(sleeps).toEqual([]);
});

test('an id is encoded in the path', async () => {
  const { run, requests } = scenario();
  await run('show ../healthz?a');
  expect(requests[0]?.url).toBe('http://127.0.0.1:4400/orders/..%2Fhealthz%3Fa');
});

test('there is no colour without a terminal, nor with NO_COLOR', async () => {
  for (const changes of [{}, { ...terminal, env: { NO_COLOR: '1' } }]) {
    const { app, run } = scenario(changes);
    looks(app, look(inError));
    expect((await run('show o-1')).stdout).not.toContain('\x1b');
  }
});

test('on a terminal states have colours, and columns stay aligned', async () => {
  const plain = scenario();
  const coloured = scenario(terminal);
  looks(plain.app, look(busy));
  looks(coloured.app, look(busy));
  const { stdout } = await coloured.run('show o-1');
  expect(stdout).toContain('\x1b[32m✓ Completed\x1b[39m');
  expect(stripVTControlCharacters(stdout)).toBe((await plain.run('show o-1')).stdout);
});
