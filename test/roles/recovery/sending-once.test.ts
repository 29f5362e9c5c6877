/** Deadline checks that a queue delivers twice do not multiply. */
import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import { sendingOnce } from '#roles/recovery/sending-once.ts';

const check = (over: Partial<DeadlineCheck> = {}): DeadlineCheck => ({
  ...{ orderId: orderId('one'), at: 1_000, claimedAt: 0 },
  ...over,
});

function opened() {
  const sent: DeadlineCheck[][] = [];
  let fails = false;
  const channel = sendingOnce({
    async send(checks) {
      if (fails) throw new UnavailableError('messages-unsent', 'Test.');
      sent.push([...checks]);
    },
  });
  const fail = (now: boolean) => {
    fails = now;
  };
  return { sent, send: channel.send, fail };
}

test('a check is sent once, also of one batch', async () => {
  const { send, sent } = opened();
  await send([check(), check()]);
  await send([check()]);
  expect(sent).toEqual([[check()]]);
});

test.each([
  ['of another order', { orderId: orderId('two') }],
  ['for another instant', { at: 1_001 }],
  ['of another claim', { claimedAt: 1 }],
  ['that another one follows', { until: 5_000 }],
])('one %s is another check', async (_, over) => {
  const { send, sent } = opened();
  await send([check()]);
  await send([check(), check(over)]);
  expect(sent).toEqual([[check()], [check(over)]]);
});

test('a check that could not be sent is sent when it is asked for again', async () => {
  const { send, sent, fail } = opened();
  fail(true);
  await expect(send([check()])).rejects.toThrow('Test.');
  fail(false);
  await send([check()]);
  expect(sent).toEqual([[check()]]);
});

test('what was sent longest ago is forgotten', async () => {
  const { send, sent } = opened();
  await send([check(), ...Array.from({ length: 9_999 }, (_, at) => check({ at: 2_000 + at }))]);
  await send([check({ at: 20_000 })]);
  await send([check({ at: 2_000 }), check()]);
  expect(sent.slice(1)).toEqual([[check({ at: 20_000 })], [check()]]);
});
