/** What the code of an agent may give where no types check it: its reply can be read, and its service is not called again. */
import { expect, test } from 'vitest';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { PermanentFault } from '#ports/agent-implementation.ts';
import type { Breaker } from '#ports/breaker.ts';
import { freeBreaker } from '../support/breakers.ts';
import { contract, kitchen, served } from './kitchen.ts';

test.each<[string, unknown, unknown, object]>([
  ['no effect', 'burnt', undefined, { code: 'burnt', effect: 'possible' }],
  ['an effect of another kind', 'burnt', 'None', { code: 'burnt', effect: 'possible' }],
  ['an effect that is none', 'burnt', 'none', { code: 'burnt', effect: 'none' }],
  ['an empty code', '', 'none', { code: 'unknown', effect: 'none' }],
  ['no code', undefined, 'none', { code: 'undefined', effect: 'none' }],
])('a fault with %s is reported as one that can be read', async (_, code, effect, fault) => {
  const { run, replies } = kitchen(async () => {
    // As code in JavaScript makes it.
    throw Reflect.construct(PermanentFault, [code, 'It burnt.', effect]);
  });
  expect(await run()).toEqual({ kind: 'done' });
  const decoded = replies.map((reply) => replyCodec.decode(replyCodec.encode(reply)));
  expect(decoded).toMatchObject([
    { kind: 'message', message: { result: { kind: 'failed', fault } } },
  ]);
});

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

/** Lists within each other, as many as these. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const unreadable = Object.defineProperty({}, 'plate', {
  enumerable: true,
  get() {
    throw new RangeError('secret');
  },
});

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /not JSON: the whole output/],
  ['a large integer', { plate: 1n }, /not JSON: plate/],
  ['no number', { plate: Number.NaN }, /not JSON: plate/],
  ['a function', { plate: () => 1 }, /not JSON: plate/],
  ['an instant', { plate: new Date(0) }, /not JSON: plate/],
  ['an object whose text is nothing', { toJSON: () => undefined }, /not JSON: toJSON/],
  ['a cycle', cycle, /not JSON: the whole output/],
  ['one level too many', nested(65), /nests deeper than 64 levels/],
  ['a hundred thousand levels', nested(100_000), /nests deeper than 64 levels/],
  ['what throws when it is read', unreadable, /cannot be read: it threw RangeError\.$/],
])('an output that is %s is a fault of the step, and the service has answered', async (...row) => {
  const [, output, message] = row;
  const heard: string[] = [];
  const breaker: Breaker = {
    ...freeBreaker(),
    admit: () => ({
      isProbe: false,
      answered: () => heard.push('answered'),
      failed: () => heard.push('failed'),
    }),
  };
  // As code in JavaScript returns it.
  const { given } = Object.assign(JSON.parse('{}'), { given: output });
  const perform = async () => given;
  const { run, replies, calls, log } = kitchen(perform, {}, { breaker });
  expect(await run()).toEqual({ kind: 'done' });
  const decoded = replies.map((reply) => replyCodec.decode(replyCodec.encode(reply)));
  const fault = { code: 'output-invalid', message: expect.stringMatching(message) };
  expect(decoded).toMatchObject([{ message: { result: { kind: 'failed', fault } } }]);
  expect(calls).toHaveLength(1);
  expect(heard).toEqual(['answered']);
  expect(log.lines).toEqual([]);
});

test('an input whose schema throws is refused without a call, and the error is not quoted', async () => {
  const input = contract.input.refine(({ dish }) => new URL(dish).host !== '');
  const own: typeof contract = { ...contract, input };
  const { run, replies, calls } = kitchen(served, { contract: own });
  expect(await run({ input: { dish: 'secret' } })).toEqual({ kind: 'done' });
  const message = 'The input cannot be checked: the schema of the agent threw TypeError.';
  const fault = { code: 'input-invalid', message, effect: 'none' };
  expect(replies).toMatchObject([{ result: { kind: 'failed', fault } }]);
  expect(calls).toEqual([]);
});
