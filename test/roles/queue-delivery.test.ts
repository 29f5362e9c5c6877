import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import type { Delivery } from '#ports/delivery.ts';
import { deliverMessages, type QueueMessage } from '#roles/queue-delivery.ts';
import { testLog } from '../support/log.ts';

const nudge = (id: string) => `{"version":1,"kind":"nudge","orderId":"${id}","priority":"normal"}`;

type Outcome = Delivery['kind'] | 'unanswered';
/** A message of the test: whether it is readable, what its receiver answers, and whether it can be parked. */
interface Drawn {
  readonly readable: boolean;
  readonly outcome: Outcome;
  readonly parkable: boolean;
}
const drawn: fc.Arbitrary<Drawn> = fc.record({
  readable: fc.boolean(),
  outcome: fc.constantFrom<Outcome>('done', 'retry', 'park', 'unanswered'),
  parkable: fc.boolean(),
});

async function deliver(batch: readonly Drawn[], failure: unknown = null) {
  const log = testLog();
  const parked: (readonly [string, string])[] = [];
  const received: (readonly (readonly [string, string])[])[] = [];
  const carriers = batch.map(
    ({ readable }, at): QueueMessage => ({
      messageId: String(at),
      body: readable ? nudge(`order-${at}`) : 'rubbish',
    }),
  );
  const again = await deliverMessages(carriers, {
    codec: nudgeCodec,
    log,
    async receive(messages, readable) {
      received.push(messages.map(({ orderId }, at) => [orderId, readable[at]?.messageId ?? '']));
      if (failure !== null) throw failure;
      const outcomes = readable.map(({ messageId }) => batch[Number(messageId)]?.outcome);
      const answered = outcomes.filter((outcome) => outcome !== undefined);
      const last = answered.indexOf('unanswered');
      return (last < 0 ? answered : answered.slice(0, last)).map(deliveryOf);
    },
    async park({ messageId }, reason) {
      if (batch[Number(messageId)]?.parkable !== true) throw new TypeError('no queue');
      parked.push([messageId, reason]);
    },
  });
  return { again: again.map(({ messageId }) => messageId), parked, received, log };
}

function deliveryOf(outcome: Outcome): Delivery {
  if (outcome === 'unanswered') throw new Error('nothing is answered from here on');
  return outcome === 'park' ? { kind: 'park', reason: 'unknown-order' } : { kind: outcome };
}

test('the queue keeps exactly the messages that are neither done nor parked in every failure (R19)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { maxLength: 8 }), fc.boolean(), async (batch, works) => {
      const { again, parked } = await deliver(batch, works ? null : new Error('store away'));
      const firstUnanswered = batch.findIndex(
        ({ readable, outcome }) => readable && outcome === 'unanswered',
      );
      const isAnswered = (at: number) => works && (firstUnanswered < 0 || at < firstUnanswered);
      const acknowledged = batch.map(({ readable, outcome, parkable }, at) => {
        if (!readable) return parkable;
        if (!isAnswered(at)) return false;
        return outcome === 'done' || (outcome === 'park' && parkable);
      });
      const left = batch.flatMap((_, at) => (acknowledged[at] === true ? [] : [String(at)]));
      expect(again).toEqual(left);
      const isParked = ({ readable, outcome, parkable }: Drawn, at: number) =>
        parkable && (!readable || (outcome === 'park' && isAnswered(at)));
      expect(parked).toEqual(
        batch.flatMap((message, at) =>
          isParked(message, at)
            ? [[String(at), message.readable ? 'unknown-order' : 'is not valid JSON']]
            : [],
        ),
      );
    }),
  );
});

const good: Drawn = { readable: true, outcome: 'done', parkable: true };
const rubbish: Drawn = { ...good, readable: false };

test('the receiver gets the readable messages in order, each with its carrier', async () => {
  const { received } = await deliver([good, rubbish, good]);
  expect(received).toEqual([
    [
      ['order-0', '0'],
      ['order-2', '2'],
    ],
  ]);
});

test('the receiver is not called for a batch without a readable message', async () => {
  const { received, again } = await deliver([rubbish, rubbish]);
  expect(received).toEqual([]);
  expect(again).toEqual([]);
});

test.each([
  [new TypeError('details of an order'), 'TypeError'],
  ['a text', 'unknown'],
])(
  'a failed batch is delivered again whole; the log has only the name of the error',
  async (...row) => {
    const [failure, error] = row;
    const { again, log } = await deliver([good, good], failure);
    expect(again).toEqual(['0', '1']);
    expect(log.lines).toEqual([{ event: 'batch-failed', fields: { error } }]);
  },
);

test('a parked message is logged with its reason; one that cannot be parked is logged and delivered again', async () => {
  const { again, log } = await deliver([rubbish, { ...good, outcome: 'park', parkable: false }]);
  expect(again).toEqual(['1']);
  const parked = (messageId: string, reason: string) => ({
    event: 'message-parked',
    fields: { messageId, reason },
  });
  expect(log.lines).toEqual([
    parked('0', 'is not valid JSON'),
    {
      event: 'parking-failed',
      fields: { messageId: '1', reason: 'unknown-order', error: 'TypeError' },
    },
  ]);
});

test('a message of a newer release is logged and delivered again, for the functions of that release', async () => {
  const log = testLog();
  const newer: QueueMessage = { messageId: '7', body: nudge('one').replace('1', '99') };
  const unused = () => Promise.reject(new Error('nobody asks'));
  const consumer = { codec: nudgeCodec, log, receive: unused, park: unused };
  expect(await deliverMessages([newer], consumer)).toEqual([newer]);
  const fields = { messageId: '7', reason: 'is a nudge of version 99' };
  expect(log.lines).toEqual([{ event: 'message-newer', fields }]);
});
