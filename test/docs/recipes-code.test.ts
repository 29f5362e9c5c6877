/** The code of docs/recipes.md is that of examples/recipes, which compiles with the rest; here it runs. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { keyOf } from '#core/definition/agent-limit.ts';
import { limitsOf } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { assertThat } from '#core/model/errors.ts';
import { agentName, idempotencyKey, orderId, stepName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { coolDownAfter } from '#core/model/policy.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type AgentImplementation, PermanentFault } from '#ports/agent-implementation.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { fraud, inventory, payment, shipping } from '../../examples/recipes/contracts.ts';
import { importSales } from '../../examples/recipes/import-orders.ts';
import { irreversibleStep } from '../../examples/recipes/irreversible-step.ts';
import { limitedTime } from '../../examples/recipes/limited-time.ts';
import { limited, messageAgent } from '../../examples/recipes/limits.ts';
import { onePerCart } from '../../examples/recipes/one-per-cart.ts';
import { optionalStep } from '../../examples/recipes/optional-step.ts';
import { parallelSteps } from '../../examples/recipes/parallel-steps.ts';
import { preview, savedDraft } from '../../examples/recipes/saved-draft.ts';
import { severalEndpoints, taxAgent } from '../../examples/recipes/several-endpoints.ts';
import { checkOut } from '../../examples/recipes/shop-client.ts';
import { renderingAgent, slowAgent } from '../../examples/recipes/slow-agent.ts';
import { monthlyReport } from '../../examples/recipes/throttled.ts';
import { bankAgents, twoProviders } from '../../examples/recipes/two-providers.ts';

import { codeBlocks } from '../support/code-blocks.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const files = codeBlocks(readFileSync('docs/recipes.md', 'utf8')).filter(
  ({ language }) => language === 'ts',
);

test.each(files)('the page has $file as it is', ({ file, text }) => {
  expect(text).toBe(readFileSync(file ?? 'a block without a file', 'utf8'));
});

test('its files alone compile in a project that has the package, with what the package exports', async () => {
  // Below the repository, so that other packages are found; with a manifest of its own, so that nothing private to it is.
  const project = mkdtempSync(resolve('test/docs/.page-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(resolve('.'), join(project, 'node_modules/reeve'));
  writeFileSync(join(project, 'package.json'), '{ "name": "shop", "type": "module" }');
  const config = { extends: resolve('tsconfig.json'), include: ['examples'], exclude: [] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  for (const { file, text } of files) {
    const path = join(project, file ?? 'a block without a file');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const tsc = resolve('node_modules/.bin/tsc');
  const compiled = promisify(execFile)(tsc, ['--pretty', 'false', '-p', project]);
  await expect(compiled.catch(({ stdout }) => ({ stdout }))).resolves.toMatchObject({ stdout: '' });
});

test('its app is synthesised', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-recipes-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { ...process.env, CDK_OUTDIR: folder };
  await promisify(execFile)(process.execPath, ['examples/recipes/app.ts'], { env });
  const template = readFileSync(join(folder, 'Shop.template.json'), 'utf8');
  expect(Object.keys(JSON.parse(template).Outputs)).toContain('AgentPayment');
});

interface Services {
  readonly screen?: () => Promise<number>;
  readonly reserve?: () => Promise<void>;
  readonly charge?: (amountCents: number) => void;
  readonly ship?: () => void;
  readonly fetch?: typeof globalThis.fetch;
}

function agents({ screen, reserve, charge, ship, ...services }: Services): AgentImplementation[] {
  return [
    { contract: fraud, perform: async () => ({ score: (await screen?.()) ?? 0.5 }) },
    {
      contract: inventory,
      perform: async () => {
        await reserve?.();
        return { reservationId: 'r-1' };
      },
      undo: async () => {},
    },
    {
      contract: payment,
      perform: async (input) => {
        charge?.(payment.input.parse(input).amountCents);
        return { chargeId: 'c-1' };
      },
      undo: async () => {},
    },
    {
      contract: shipping,
      perform: async () => {
        ship?.();
        return { trackingId: 't-1' };
      },
    },
    taxAgent(services.fetch ?? globalThis.fetch),
    ...bankAgents(services.fetch ?? globalThis.fetch),
    messageAgent(services.fetch ?? globalThis.fetch),
    renderingAgent({ post: async () => ({ state: 'done', file: 'film.mp4' }) }, 1),
  ];
}

async function run(workflow: WorkflowDefinition, details: JsonValue, services: Services = {}) {
  const reeve = await startLocalReeve({
    workflows: [workflow],
    agents: agents(services),
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    log: { info() {}, warn() {}, error() {} },
  });
  onTestFinished(() => reeve.close());
  const stopped = () =>
    new Promise<ProcessRecord>((resolve) => {
      const end = reeve.watch((record) => {
        if (!['Processed', 'Undone', 'Error'].includes(record.processState)) return;
        end();
        resolve(record);
      });
    });
  const first = stopped();
  const order = { workflow: workflow.name, details, tenant: null, replyTo: null };
  const outcome = await reeve.submission.submit(
    { ...order, priority: 'normal', correlationId: null, key: null },
    'test',
  );
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  return { reeve, record: await first, stopped };
}

const stateOf = (record: ProcessRecord, step: string) =>
  record.steps.find(({ name }) => name === step)?.progress.state;

test.each([
  { amountCents: 500, score: 0.95, screened: 'Skipped', charged: 'Completed' },
  { amountCents: 50_000, score: 0.1, screened: 'Completed', charged: 'Completed' },
  { amountCents: 50_000, score: 0.95, screened: 'Completed', charged: 'Skipped' },
])(
  'optional step: $amountCents cents, score $score: screen is $screened, charge $charged',
  async (row) => {
    const details = { customer: 'ada', amountCents: row.amountCents, token: 'tok' };
    const { record } = await run(optionalStep, details, { screen: async () => row.score });
    expect(record.processState).toBe('Processed');
    expect(stateOf(record, 'screen')).toBe(row.screened);
    expect(stateOf(record, 'charge')).toBe(row.charged);
  },
);

test('import: each sale is submitted once, and what is refused is returned', async () => {
  const sale = { customer: 'ada', amountCents: 500, token: 'tok' };
  const { reeve } = await run(optionalStep, sale);
  const server = await serveApi(reeve, { port: 0 });
  onTestFinished(() => server.close());
  const sales = [
    { id: '1', ...sale },
    { id: '2', ...sale, amountCents: 0.5 },
  ];
  for (let times = 0; times < 2; times += 1) {
    expect(await importSales(server.url, sales)).toEqual([
      { key: 'sale-2', why: expect.stringContaining('`details.amountCents`') },
    ]);
  }
  const page = await reeve.store.list({ processState: null, limit: 10, cursor: null });
  expect(page.items).toHaveLength(2);
});

test('parallel steps: both run at the same time, and the join sees both outputs', async () => {
  const screening = Promise.withResolvers<void>();
  const reserving = Promise.withResolvers<void>();
  const charged: number[] = [];
  const details = { customer: 'ada', amountCents: 1_000, sku: 'teapot', token: 'tok' };
  const { record } = await run(parallelSteps, details, {
    screen: async () => {
      screening.resolve();
      await reserving.promise;
      return 0;
    },
    reserve: async () => {
      reserving.resolve();
      await screening.promise;
    },
    charge: (amountCents) => charged.push(amountCents),
  });
  expect(record.processState).toBe('Processed');
  expect(charged).toEqual([900]);
});

test('limited time: the order has a deadline, and its undo is tried for three days', async () => {
  const details = { amountCents: 1_000, sku: 'teapot', token: 'tok' };
  const { record } = await run(limitedTime, details);
  expect(record).toMatchObject({
    processState: 'Processed',
    deadline: { lateAt: record.submittedAt + 15 * 60_000, onLate: 'undo' },
  });
  const charge = record.steps.find(({ name }) => name === 'charge')?.policy.undo;
  if (charge === undefined) throw new Error('charge has a policy for its undo');
  const pauses = Array.from({ length: charge.coolDownTimes }, (_, at) =>
    coolDownAfter(charge, at + 1),
  );
  const total = pauses.reduce((sum, pause) => sum + pause, 0);
  expect(Math.round(total / 86_400_000)).toBe(3);
});

test('irreversible step: a refusal stops the order, and a corrected resubmit finishes it', async () => {
  const shipTo = { name: 'A', street: 'B 1', city: 'C', postalCode: '10115', country: 'DE' };
  let refused = true;
  const { reeve, record, stopped } = await run(
    irreversibleStep,
    { sku: 'teapot', shipTo },
    {
      ship: () => {
        if (refused) throw new PermanentFault('address-unknown', 'No such street.', 'none');
      },
    },
  );
  expect(record).toMatchObject({ processState: 'Error', direction: 'forward' });
  refused = false;
  const ended = stopped();
  await reeve.operator.resubmit(record.orderId, 'test');
  expect((await ended).processState).toBe('Processed');
});

test('slow agent: it starts the job once, and sends a heartbeat for each poll that finds it running', async () => {
  const answers: JsonValue[] = [
    { state: 'running' },
    { state: 'running' },
    { state: 'done', file: 'film.mp4' },
  ];
  const asked: string[] = [];
  let heartbeats = 0;
  const agent = renderingAgent(
    {
      post: async (path) => {
        asked.push(path);
        return path === '/jobs' ? {} : (answers.shift() ?? null);
      },
    },
    1,
  );
  const call = {
    orderId: 'one',
    idempotencyKey: idempotencyKey(orderId('one'), stepName('render'), 'perform', 1),
    attempt: 1,
    endpoint: '',
    signal: new AbortController().signal,
    heartbeat: () => {
      heartbeats += 1;
    },
  };
  const output = await agent.perform({ video: 'v' }, call);
  expect({ output, heartbeats }).toEqual({ output: { file: 'film.mp4' }, heartbeats: 2 });
  expect(asked).toEqual(['/jobs', '/jobs/state', '/jobs/state', '/jobs/state']);
});

test('slow agent: its workflow is complete', async () => {
  const { record } = await run(slowAgent, { video: 'v' });
  expect(record.processState).toBe('Processed');
});

test('several endpoints: an order is Processed while one of them is out of order', async () => {
  const hosts: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    const { host } = new URL(String(url));
    hosts.push(host);
    return host === 'eu.tax.example'
      ? Response.json({}, { status: 503 })
      : Response.json({ taxCents: 19 });
  };
  const details = { country: 'DE', amountCents: 100 };
  const { record } = await run(severalEndpoints, details, { fetch });
  expect(record).toMatchObject({ processState: 'Processed', failureCount: 0 });
  expect(hosts.at(-1)).toBe('us.tax.example');
});

test('one of the two providers charges, and the order says which', async () => {
  const charges: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    charges.push(String(url));
    return Response.json({ chargeId: 'c-1' });
  };
  const { record } = await run(twoProviders, { token: 'tok', amountCents: 100 }, { fetch });
  expect(record.processState).toBe('Processed');
  const bank = record.steps[0]?.agent.replace('bank-', '');
  expect(charges).toEqual([`https://${bank}.bank.example/charges`]);
});

test('a message is sent within its limits', async () => {
  const fetch: typeof globalThis.fetch = async () => Response.json({ messageId: 'm-1' });
  const { record } = await run(limited, { account: 'ada', text: 'Hello.' }, { fetch });
  expect(record).toMatchObject({ processState: 'Processed', failureCount: 0 });
});

test('a throttle limits the calls of its workflow alone', () => {
  const [throttle] = limitsOf([monthlyReport]).get(agentName('reports'))?.shared ?? [];
  assertThat(throttle !== undefined, 'the agent has a limit');
  const keyFor = (workflow: string) =>
    keyOf(throttle, { input: { account: 'ada' }, tenant: 'acme', workflow }, () => {});
  expect([keyFor('monthly-report'), keyFor('another')]).toEqual(['monthly-report', null]);
});

test('an order of a cart is processed, and has a place among those of its cart', async () => {
  const details = { cart: 'c-1', sku: 'TEA', amountCents: 500, token: 'tok' };
  const { record } = await run(onePerCart, details);
  expect(record.processState).toBe('Processed');
  expect(record.turn).toEqual({ line: expect.stringMatching(/^[0-9a-f]{40}$/) });
});

test('of the drafts of an article that are saved within five seconds, the last one gets a preview', async () => {
  const clock = virtualClock();
  const shown: string[] = [];
  const reeve = await startLocalReeve({
    workflows: [savedDraft],
    agents: [
      {
        contract: preview,
        async perform(given) {
          shown.push(preview.input.parse(given).text);
          return { url: 'https://example.com/preview' };
        },
      },
    ],
    ...{ path: ':memory:', clock, random: systemRandom },
    log: { info() {}, warn() {}, error() {} },
  });
  onTestFinished(() => reeve.close());
  for (const text of ['O', 'On', 'Once']) {
    const order = { workflow: savedDraft.name, details: { article: 'tale', text }, tenant: null };
    const request = { ...order, priority: 'normal', replyTo: null, correlationId: null } as const;
    await reeve.submission.submit({ ...request, key: null }, 'test');
    await clock.advance(2_000);
  }
  await clock.advance(10_000);
  expect(shown).toEqual(['Once']);
});

test('the client submits the order of a cart once, and returns its outputs', async () => {
  const charged: number[] = [];
  const reeve = await startLocalReeve({
    workflows: [onePerCart],
    agents: agents({ charge: (cents) => charged.push(cents) }),
    path: ':memory:',
  });
  onTestFinished(() => reeve.close());
  const server = await serveApi(reeve, { port: 0 });
  onTestFinished(() => server.close());
  expect(await checkOut(server.url, 'none', 'c-1')).toBe('c-1');
  expect(await checkOut(server.url, 'none', 'c-1')).toBe('c-1');
  expect(charged).toEqual([2_490]);
});
