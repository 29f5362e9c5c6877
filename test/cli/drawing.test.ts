/** What is drawn: lines that fit the terminal, bars that are full only at the end, and texts for shells. */
import { expect, test } from 'vitest';
import { fishCompletion } from '#cli/commands/completion-fish.ts';
import { progressBar } from '#cli/output/progress-bar.ts';
import { at, look, looks, order, processed, scenario, step, terminal } from './scenario.ts';

test.each([1, 99, 100, 500, 999])('a bar of %i of 1,000 is not full', (done) => {
  expect(progressBar(done, 1_000, 100)).toContain('░');
  expect(progressBar(done, 1_000, 100).match(/█/g)?.length ?? 0).toBe(
    Math.floor((40 * done) / 1_000),
  );
});

test('a bar of all is full, and so is one of none', () => {
  expect(progressBar(1_000, 1_000, 100)).toMatch(/^█{40} {2}1,000 of 1,000$/);
  expect(progressBar(0, 0, 100)).toMatch(/^█{40} /);
});

/** Each write turns wrapping off and on again: a wrapped line would take two rows, and Ctrl-C must leave it on. */
const [off, on, clearBelow] = ['\u001b[?7l', '\u001b[?7h', '\u001b[J'];
const isUnwrapped = (text: string) =>
  text.includes(off) && (text.endsWith(on) || text.endsWith(`${on}${clearBelow}`));

test.each([
  ['show o-1 --watch', 'a frame'],
  ['submit order.json --wait', 'a line'],
])('%s draws %s that the terminal cuts', async (line) => {
  const written: string[] = [];
  const { app, run } = scenario({
    ...terminal,
    readFile: async () => new TextEncoder().encode('{}'),
    stdout: (text) => written.push(text),
  });
  app.post('/orders', (c) => c.json({ orderId: 'o-1', processState: 'Pending' }, 202));
  looks(app, look(), look(processed));
  expect((await run(line)).exitCode).toBe(0);
  const drawn = written.filter((text) => text.includes(off));
  expect(drawn).toHaveLength(2);
  for (const text of drawn) expect([text, isUnwrapped(text)]).toEqual([text, true]);
});

test('a frame of an order with more steps than rows leaves the last row to the cursor', async () => {
  const written: string[] = [];
  const { app, run } = scenario({
    terminal: () => ({ columns: 100, rows: 12 }),
    stdout: (text) => written.push(text),
  });
  const steps = Object.fromEntries(
    Array.from({ length: 30 }, (_, place) => [`step-${place}`, step('Completed')]),
  );
  looks(app, look({ ...processed, steps }));
  expect((await run('show o-1 --watch')).exitCode).toBe(0);
  expect(written[0]?.match(/\n/g)).toHaveLength(11);
});

test('a step that is undone before it starts anew says so', async () => {
  const { app, run } = scenario();
  const charge = step('NotStarted', { inDoubt: true, undoFirst: true });
  app.get('/orders/o-1', (c) => c.json(order({ steps: { charge } })));
  expect((await run('show o-1')).stdout).toContain('in doubt: it is undone before it starts anew');
});

test('a probe that is due is made by the next step', async () => {
  const { app, run } = scenario();
  const orders = { Pending: 0, Processing: 0, Error: 0 };
  const refused = { high: 0, normal: 0, low: 0 };
  app.get('/activity', (c) =>
    c.json({
      ...{ orders, pools: [] },
      flow: { waiting: 0, nudgeSince: null, sweepLagMs: 0, refused },
      agents: [
        {
          ...{ name: 'payment', inFlight: 0, waiting: 0, held: [] },
          circuit: { state: 'open', probeAt: at(-30) },
        },
      ],
    }),
  );
  expect((await run('status')).stdout).toContain('with the next step');
});

test('fish gets descriptions with quotes and backslashes as they are', () => {
  const script = fishCompletion('reeve', [
    {
      path: '',
      commands: [{ word: 'show', description: "the order's \\ state" }],
      options: [],
      argument: null,
    },
  ]);
  expect(script).toContain("-d 'the order\\'s \\\\ state'");
});
