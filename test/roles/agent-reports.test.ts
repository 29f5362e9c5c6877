/** The reports of an agent runner: replies, log lines, and the refusal of a wrong definition. */
import { expect, test } from 'vitest';
import { limits } from '#core/model/limits.ts';
import { type AgentImplementation, TransientFault } from '#ports/agent-implementation.ts';
import { agentRunner } from '#roles/agent/agent-runner.ts';
import { freeBreaker } from '../support/breakers.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { contract, kitchen, never, served } from './kitchen.ts';

const undo = async () => {};
test.each([
  ['offered', undo, null],
  ['offered', undefined, 'has none'],
  ['unneeded', undefined, null],
  ['unneeded', undo, 'has one'],
  ['impossible', undefined, null],
  ['impossible', undo, 'has one'],
] as const)('contract and code must agree about undo: %s, and the code is %o', (...row) => {
  const [ability, own, fault] = row;
  const agent: AgentImplementation = {
    contract: { ...contract, undo: ability },
    perform: served,
    ...(own !== undefined && { undo: own }),
  };
  const ports = {
    breaker: freeBreaker(),
    clock: virtualClock(),
    log: testLog(),
    random: { next: () => 0 },
    replies: { send: never },
  };
  const make = () => agentRunner(agent, ports);
  if (fault === null) expect(make).not.toThrow();
  else {
    expect(make).toThrow(
      `Agent cook: its contract says undo is ${ability}, and its code ${fault}.`,
    );
    expect(make).toThrow(expect.objectContaining({ code: 'undo-mismatch' }));
  }
});

test('an undo of an agent without an undo is done', async () => {
  const unneeded = { contract: { ...contract, undo: 'unneeded' } } as const;
  const { run, replies } = kitchen(served, unneeded, { canUndo: false });
  await run({ action: 'undo' });
  expect(replies).toMatchObject([{ action: 'undo', result: { kind: 'succeeded', output: null } }]);
});

test('an output that is too large to store is reported as a fault', async () => {
  const { run, replies } = kitchen(async () => ({ plate: 'x'.repeat(limits.outputBytesMax) }));
  await run();
  expect(replies).toMatchObject([
    { result: { kind: 'failed', fault: { code: 'output-too-large', effect: 'possible' } } },
  ]);
});

test('an input that does not match its schema as a whole is reported as such', async () => {
  const { run, replies } = kitchen(served);
  await run({ input: 'soup' });
  const message = 'The input does not match the schema of the agent at the whole input.';
  expect(replies).toMatchObject([{ result: { fault: { code: 'input-invalid', message } } }]);
});

test('a request at its complete-by is tried; a request past it is dropped unread', async () => {
  const { run, clock, calls, log } = kitchen(served);
  await run({ completeBy: clock.now() });
  expect(calls).toHaveLength(1);
  await run({ completeBy: clock.now() - 1, input: { dish: 7 } });
  expect(calls).toHaveLength(1);
  expect(log.lines).toEqual([]);
});

test('after the work has ended, its signal never fires', async () => {
  const { run, clock, calls } = kitchen(async (call) => {
    expect(call.signal.aborted).toBe(false);
    return { plate: 'soup' };
  });
  await run();
  await clock.advance(20_000);
  expect(calls[0]?.call.signal.aborted).toBe(false);
});

const attempt = { orderId: 'one', step: 'soup', attempt: 2, agent: 'cook' };

test.each([
  [
    'a fault of its kind',
    new TransientFault('http-503', 'card 4111'),
    'TransientFault',
    'http-503',
  ],
  ['an error of no known kind', new TypeError('card 4111'), 'TypeError', null],
  ['a text', 'card 4111', 'unknown', null],
])('the log names the error of a call and its code, not its words: %s', async (...row) => {
  const [, thrown, error, code] = row;
  const { run, clock, log } = kitchen((_, tries) =>
    tries === 1 ? Promise.reject(thrown) : served(),
  );
  const running = run({ attempt: 2 });
  await clock.advance(1_000);
  await running;
  expect(log.lines).toEqual([{ event: 'call-failed', fields: { ...attempt, error, code } }]);
});

test('the log has every reply and heartbeat that could not be sent, and every passed deadline', async () => {
  const mute = kitchen(served, {}, { canSend: false });
  await mute.run({ attempt: 2 });
  const fields = { ...attempt, error: 'Error', code: null };
  expect(mute.log.lines).toEqual([{ event: 'reply-failed', fields }]);

  const hanging = kitchen(never, {}, { canSend: false });
  const running = hanging.run({ attempt: 2 });
  await hanging.clock.advance(6_000);
  hanging.calls[0]?.call.heartbeat();
  await hanging.clock.advance(5_000);
  await running;
  expect(hanging.log.lines).toContainEqual({ event: 'heartbeat-lost', fields });
  expect(hanging.log.lines.at(-1)).toEqual({ event: 'silent-after-complete-by', fields: attempt });
});
