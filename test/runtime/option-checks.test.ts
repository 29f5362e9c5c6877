/** The numbers that an application passes to `startLocalReeve`: each outside its range stops the start. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { connectionLimits, serveApi } from '#runtime/local/http-server.ts';
import { type LocalReeveOptions, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const press = defineAgent({
  name: 'press',
  input: z.object({}),
  output: z.object({}),
  undo: 'impossible',
});
const printing = defineWorkflow({ name: 'printing', version: 1, details: z.object({}) })
  .step('print', { agent: press, irreversible: true, input: () => ({}) })
  .build();

interface Numbers
  extends Pick<LocalReeveOptions, 'backlogMaxMs' | 'sweepPeriodMs' | 'keepEndedMs'> {
  readonly concurrency?: number;
}

const started = ({ concurrency, ...numbers }: Numbers & Partial<LocalReeveOptions>) =>
  startLocalReeve({
    workflows: [printing],
    agents: [
      {
        contract: press,
        ...(concurrency !== undefined && { concurrency }),
        perform: () => Promise.resolve({}),
      },
    ],
    path: ':memory:',
    clock: virtualClock(),
    log: testLog(),
    random: { next: () => 0.5 },
    ...numbers,
  });

const dayMs = 24 * 3_600_000;
const notNumbers = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const ranges = {
  concurrency: { inside: [1, 2 ** 53 - 1], outside: [0, -1, 1.5] },
  backlogMaxMs: { inside: [1_000, dayMs], outside: [0, -5, 999, dayMs + 1, 1_000.5] },
  sweepPeriodMs: { inside: [10, 3_600_000], outside: [0, -1, 9, 3_600_001, 10.5] },
  keepEndedMs: { inside: [0, 3_650 * dayMs], outside: [-1, 3_650 * dayMs + 1, 0.5] },
} as const satisfies Record<keyof Numbers, object>;

const cases = (side: 'inside' | 'outside') =>
  Object.entries(ranges).flatMap(([option, range]) =>
    [...range[side], ...(side === 'outside' ? notNumbers : [])].map(
      (value) => [option, value] as const,
    ),
  );

test.each(cases('outside'))(
  '%s %d stops the start, with the option and its range',
  async (option, value) => {
    const error = await started({ [option]: value }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ReeveError', code: 'option-range' });
    const of = option === 'concurrency' ? 'concurrency of the agent press' : option;
    expect(error).toMatchObject({
      message: expect.stringContaining(`${of} is ${value}; it must be a whole number`),
    });
  },
);

test.each(cases('inside'))('%s %d is within its range', async (option, value) => {
  const reeve = await started({ [option]: value });
  expect(reeve.refusal()).toBeNull();
  reeve.close();
});

test.each<[string, object]>([
  ['startLocalReeve: `workflows` is missing.', { workflows: undefined }],
  ['startLocalReeve: `agents` must be an array.', { agents: {} }],
  ['startLocalReeve: `tenantWeights` must be a Map.', { tenantWeights: { shop: 2 } }],
  [
    'startLocalReeve: `responseChannels.shop` must be a function.',
    { responseChannels: { shop: 'x' } },
  ],
  [
    'startLocalReeve: `responseChannels.The Shop` has a name that is not allowed: up to 40 of a-z, 0-9 and "-", of which the first is one of a-z.',
    { responseChannels: { 'The Shop': async () => {} } },
  ],
  ['startLocalReeve: `log.info` must be a function.', { log: { warn() {}, error() {} } }],
  ['startLocalReeve: `clock.after` must be a function.', { clock: { now: () => 0 } }],
  ['startLocalReeve: `random.next` must be a function.', { random: {} }],
  ['startLocalReeve: `responseChannels` must be an object.', { responseChannels: [() => {}] }],
  ['startLocalReeve: `onAlert` must be a function.', { onAlert: 'mail' }],
  ['startLocalReeve: `onCircuit` must be a function.', { onCircuit: {} }],
  ['startLocalReeve: `pth` is not known here.', { pth: 'shop.db' }],
  ['startLocalReeve: `path` must not be empty.', { path: '' }],
  [
    'startLocalReeve: `path` must be the path of a file, not a URI.',
    { path: 'file:shop.db?mode=memory' },
  ],
  [
    'startLocalReeve: `workflows.0` is not complete: end its definition with `.build()`.',
    { workflows: [defineWorkflow({ name: 'printing', version: 1, details: z.object({}) })] },
  ],
])('options of a wrong kind stop the start: %s', async (message, options) => {
  await expect(started(options)).rejects.toThrow(new DefinitionError('options-invalid', message));
});

test('a workflow with a schema that cannot be read stops the start', async () => {
  const part = () => z.string().meta({ id: 'part' });
  const unread = defineWorkflow({
    name: 'unread',
    version: 1,
    details: z.object({ a: part(), b: part() }),
  })
    .step('print', { agent: press, irreversible: true, input: () => ({}) })
    .build();
  await expect(started({ workflows: [unread] })).rejects.toThrow(/Duplicate schema id "part"/);
});

test('a response channel may have the name of what every object has', async () => {
  const channel = async () => {};
  const reeve = await started({ responseChannels: { constructor: channel, shop: channel } });
  expect(reeve.refusal()).toBeNull();
  reeve.close();
});

test.each<[string, object]>([
  ['serveApi: `prt` is not known here.', { prt: 80 }],
  ['serveApi: `host` must be a string.', { host: 1 }],
  ['serveApi: `identify` must be a function.', { identify: {} }],
  ['serveApi: `accessLog.info` must be a function.', { accessLog: { warn() {}, error() {} } }],
  [
    'serveApi: `connections.keptMs` must be a number.',
    { connections: { ...connectionLimits, keptMs: '65 s' } },
  ],
])('options of a wrong kind start no server: %s', async (message, options) => {
  const reeve = await started({});
  await expect(Reflect.apply(serveApi, undefined, [reeve, options])).rejects.toThrow(
    new DefinitionError('options-invalid', message),
  );
  reeve.close();
});

test.each([-1, 65_536, 80.5, ...notNumbers])('no server is started on port %d', async (port) => {
  const reeve = await started({});
  const refused = serveApi(reeve, { port });
  await expect(refused).rejects.toMatchObject({ code: 'option-range' });
  reeve.close();
});
