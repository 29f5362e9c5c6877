/**
 * Code of an application shares no document with a Reeve in its process: what a caller, an agent or a workflow changes of what it gave or got
 * changes nothing that is stored or given to others, as between the processes of functions (R4).
 */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { JsonValue } from '#core/model/json.ts';
import { implementAgent, PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';

/** Changes each list and each object in the value, and its texts, numbers and booleans. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && inner !== null) spoil(inner);
    else Reflect.set(value, key, 'spoiled');
  }
  if (Array.isArray(value)) value.push('spoiled');
  else Reflect.set(value, 'spoiled', true);
}

const text = (value: unknown) => JSON.stringify(value);

/** One object for all orders. */
const shared = { list: [{ of: 'the schema' }] };
const given = z.custom<JsonValue>(() => true);
const fresh = (value: unknown): JsonValue => given.parse(JSON.parse(text(value)));

type Schema = z.ZodType<JsonValue>;

/** Schemas that return what they are given, at least in parts, or an object of their own. */
const of = (schema: Schema): Schema => schema;
const schemas: Readonly<Record<string, Schema>> = {
  any: of(z.any()),
  custom: of(z.any().pipe(z.any().refine(() => true))),
  parts: of(z.looseObject({ list: z.any() }).pipe(z.any())),
  record: of(z.record(z.string(), z.any())),
  transform: of(z.any().transform((value) => value)),
  union: of(z.union([z.null(), z.any()])),
  lazy: of(z.lazy(() => z.any())),
  pipe: of(z.any().pipe(z.unknown()).pipe(z.any())),
  own: of(
    z
      .any()
      .transform(() => shared)
      .pipe(z.any()),
  ),
};

const documents = fc.record({
  list: fc.array(fc.record({ n: fc.integer({ min: 1 }) }), { minLength: 1, maxLength: 3 }),
  more: fc.jsonValue({ maxDepth: 3 }).map(fresh),
});

interface Call {
  readonly action: 'perform' | 'undo';
  readonly key: string;
  readonly text: string;
}

/** An application all of whose code changes what it got and what it gave. */
function application(name: keyof typeof schemas) {
  const schema = schemas[name] ?? given;
  const calls: Call[] = [];
  const kept: unknown[] = [];
  const spoilAll = (...got: readonly unknown[]) => {
    for (const value of [...got, ...kept.splice(0)]) spoil(value);
  };
  /** It is changed before it is on disk, or by the next function that is called. */
  const keep = <Value>(value: Value): Value => {
    kept.push(value);
    setImmediate(() => spoil(value));
    return value;
  };
  const service = defineAgent({
    name: 'service',
    input: z.object({ part: z.any() }),
    output: z.object({ part: name === 'own' ? given : schema, more: z.any() }),
    undo: 'offered',
    limits: {
      each: {
        atOnce: 10,
        key({ input }) {
          spoilAll(input);
          return 'all';
        },
      },
    },
  });
  const tries = (key: string) => calls.filter((call) => call.key === key).length;
  const implementation = implementAgent(service, {
    async perform(input, { idempotencyKey: key }) {
      calls.push({ action: 'perform', key, text: text(input) });
      const output = { part: fresh(input.part), more: fresh([input]) };
      spoilAll(input);
      if (tries(key) === 1) throw new TransientFault('again', 'Again.');
      if (tries(key) === 2 && key.endsWith('/last')) {
        throw new PermanentFault('refused', 'No.', 'none');
      }
      return keep(output);
    },
    async undo({ input, output }, { idempotencyKey: key }) {
      calls.push({ action: 'undo', key, text: text([input, output]) });
      spoilAll(input, output);
      if (tries(key) === 1) throw new TransientFault('again', 'Again.');
    },
  });
  const workflow = defineWorkflow({
    name: 'shared',
    version: 1,
    details: z.object({ part: schema, late: z.any() }),
    singleton: {
      else: 'wait',
      key({ details }) {
        spoilAll(details);
        return 'one';
      },
    },
  })
    .step('first', {
      agent: service,
      coolDown: { after: 100, times: 1 },
      when: ({ details }) => {
        spoilAll(details);
        return true;
      },
      input: ({ details }) => {
        spoilAll();
        const part = details.part;
        return keep({ part });
      },
    })
    .step('second', {
      agent: service,
      after: ['first'],
      input: ({ details, outputs }) => {
        const part = fresh({ list: [details.part, outputs.first ?? null] });
        spoilAll(details, outputs);
        return keep({ part });
      },
    })
    .step('last', {
      agent: service,
      after: ['second'],
      onFault: 'hold',
      input: ({ details, outputs }) => {
        const part = fresh({ list: [details.late, outputs.second] });
        spoilAll(details, outputs);
        return { part };
      },
    })
    .build();
  return { workflow, implementation, calls, spoilAll };
}

test('what code of an application changes of its documents changes none that is stored or given to others', async () => {
  const names = fc.constantFrom(...Object.keys(schemas));
  await fc.assert(
    fc.asyncProperty(names, documents, fc.boolean(), async (name, document, isCancelled) => {
      const { workflow, implementation, calls, spoilAll } = application(name);
      const statuses: string[] = [];
      await using reeve = await testReeve({
        workflows: [workflow],
        agents: [implementation],
        responseChannels: {
          async all(status) {
            statuses.push(`${status.id} ${text(status.change)} ${status.body}`);
            spoilAll(status.change);
            if (statuses.filter((each) => each.startsWith(status.id)).length === 1) {
              throw new Error('again');
            }
          },
        },
        onAlert: async (alert) => spoilAll(alert.change),
      });
      const part = name === 'own' ? fresh(shared) : fresh(document);
      const details = { part: fresh(document), late: fresh(document) };
      const submitted = reeve.submit(workflow, details, { replyTo: 'all' });
      spoilAll(details);
      const order = await submitted;
      spoilAll(await order.read());
      await reeve.run(order);
      // Long enough for the alert.
      await reeve.advance(1_000);
      const stopped = await order.read();
      const { fault, steps } = structuredClone(stopped);
      spoilAll(await order.result(), stopped);
      expect(fault).toMatchObject({ code: 'refused', message: 'No.', step: 'last' });
      expect(await order.read()).toMatchObject({ fault, steps });
      const corrections = [{ field: 'late', value: fresh(document) }];
      const changed = isCancelled
        ? reeve.local.operator.cancel(order.id, 'olga')
        : reeve.local.operator.resubmit(order.id, 'olga', { corrections });
      spoilAll(corrections);
      spoilAll(await changed);
      spoilAll(await reeve.run(order));
      await reeve.advance(60_000);

      const outputFor = (input: JsonValue) => ({ part: input, more: [{ part: input }] });
      const first = outputFor(part);
      const second = outputFor({ list: [part, first] });
      const last = outputFor({ list: [fresh(document), second] });
      const outputs = new Map(Object.entries({ first, second, last }));
      for (const { action, key, text: got } of calls) {
        const [, step = ''] = /\/(\w+)/.exec(key) ?? [];
        const output = outputs.get(step);
        const input = { part: output?.part };
        // The last one was refused, so it has no output.
        const target = [input, step === 'last' ? null : output];
        expect(JSON.parse(got)).toEqual(action === 'perform' ? input : target);
      }
      const expected = {
        processState: isCancelled ? 'Undone' : 'Processed',
        details: { part, late: fresh(document) },
        steps: {
          first: { input: { part }, output: first },
          second: { input: { part: second.part }, output: second },
          last: { input: { part: last.part }, output: isCancelled ? null : last },
        },
      };
      const before = await order.read();
      expect(before).toMatchObject(expected);
      // Every message, and its repetition.
      expect(statuses.length).toBe(2 * new Set(statuses).size);
      await reeve.kill();
      await reeve.restart();
      expect(await order.read()).toEqual(before);
    }),
    { numRuns: 15 },
  );
});

test('orders that are submitted together from one object have each what it was then', async () => {
  const agent = defineAgent({ name: 'noop', input: z.null(), output: z.null(), undo: 'unneeded' });
  const workflow = defineWorkflow({ name: 'one', version: 1, details: z.object({ meta: z.any() }) })
    .step('noop', { agent, input: () => null })
    .build();
  const agents = [implementAgent(agent, { perform: async () => null })];
  const reeve = await startLocalReeve({ workflows: [workflow], agents, path: ':memory:' });
  onTestFinished(() => reeve.close());
  const one = { meta: { cents: 0 } };
  const submitted = [1, 2, 3].map((cents) => {
    one.meta.cents = cents;
    return reeve.submit(workflow, one);
  });
  const orders = await Promise.all(submitted);
  const read = await Promise.all(orders.map((order) => order.read()));
  expect(read.map(({ details }) => details)).toEqual(
    [1, 2, 3].map((cents) => ({ meta: { cents } })),
  );
});

test('an output is what its agent returned, however long its reply waits', async () => {
  const returned: unknown[] = [];
  const agent = defineAgent({ name: 'slow', input: z.int(), output: z.any(), undo: 'unneeded' });
  const workflow = defineWorkflow({ name: 'many', version: 1, details: z.int() })
    .step('one', { agent, input: ({ details }) => details })
    .build();
  const implementation = implementAgent(agent, {
    async perform(number) {
      // Replies that come one by one make batches of their own, of which only some are in flight.
      for (let turn = 0; turn < 40 * number; turn += 1) await null;
      for (const output of returned.splice(0)) spoil(output);
      const output = { number };
      returned.push(output);
      return output;
    },
  });
  const agents = [implementation];
  const reeve = await startLocalReeve({ workflows: [workflow], agents, path: ':memory:' });
  onTestFinished(() => reeve.close());
  const numbers = Array.from({ length: 40 }, (_, at) => at);
  const orders = await Promise.all(numbers.map((number) => reeve.submit(workflow, number)));
  const results = await Promise.all(orders.map((order) => order.result()));
  expect(results).toEqual(
    numbers.map((number) => ({ state: 'Processed', outputs: { one: { number } } })),
  );
});

test('what a caller changes of the order that it reads, the next one does not read', async () => {
  const pool = definePool({
    name: 'mail',
    input: z.null(),
    output: z.null(),
    undo: 'unneeded',
    members: { one: {} },
  });
  const workflow = defineWorkflow({ name: 'send', version: 1, details: z.null() })
    .step('mail', { agent: pool, onFault: 'hold', input: () => null })
    .build();
  const refusing = implementAgent(pool.member('one'), {
    async perform() {
      throw new PermanentFault('refused', 'No.', 'none');
    },
  });
  const agents = [refusing];
  const reeve = await startLocalReeve({ workflows: [workflow], agents, path: ':memory:' });
  onTestFinished(() => reeve.close());
  const order = await reeve.submit(workflow, null);
  await order.result();
  const read = await order.read();
  const asRead = structuredClone(read);
  spoil(read);
  expect(await order.read()).toEqual(asRead);
});

test('a schema that returns one object of its own for all orders gives each order what it was then', async () => {
  const own = { number: 0 };
  const numbered = z.any().transform(() => {
    own.number += 1;
    return own;
  });
  const agent = defineAgent({
    name: 'numbers',
    input: z.null(),
    output: z.object({ ticket: numbered }),
    undo: 'unneeded',
  });
  const workflow = defineWorkflow({
    name: 'numbers',
    version: 1,
    details: z.object({ ticket: numbered }),
  })
    .step('take', { agent, input: () => null })
    .build();
  const agents = [implementAgent(agent, { perform: async () => ({ ticket: { number: 0 } }) })];
  const reeve = await startLocalReeve({ workflows: [workflow], agents, path: ':memory:' });
  onTestFinished(() => reeve.close());
  const orders = await Promise.all([1, 2, 3].map(() => reeve.submit(workflow, { ticket: 0 })));
  await Promise.all(orders.map((order) => order.result()));
  const read = await Promise.all(orders.map((order) => order.read()));
  const tickets = read.flatMap(({ details, steps }) => [
    text(details),
    text(steps['take']?.output),
  ]);
  expect(new Set(tickets).size).toBe(6);
});
