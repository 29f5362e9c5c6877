/** Rounds of batches to one destination: what is sent together, and what a rejection stops. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SequencedMessage, sendInSequence } from '#aws/notifications/sequenced-batches.ts';

/** `a1 b1 a2`: messages of the sequences a and b, in the given order. */
function messagesOf(text: string): SequencedMessage[] {
  return text.split(' ').map((body, place) => ({ place, sequenceOf: body.charAt(0), body }));
}

const bodies = (batch: readonly SequencedMessage[]) => batch.map(({ body }) => body).join(' ');

/** The requests in order, and the error of each rejected message. */
async function delivered(
  text: string,
  answer: (batch: readonly SequencedMessage[]) => ReadonlyMap<number, Error> = () => new Map(),
) {
  const all = messagesOf(text);
  const requests: string[] = [];
  const failed = await sendInSequence(all, async (batch) => {
    requests.push(bodies(batch));
    return answer(batch);
  });
  return { requests, failed: [...failed].map(([place, error]) => [all[place]?.body, error]) };
}

const refused = new Error('refused');
/** Rejects these bodies, and accepts all others. */
const refuses =
  (...bad: readonly string[]) =>
  (batch: readonly SequencedMessage[]) =>
    new Map(batch.flatMap(({ body }, at) => (bad.includes(body) ? [[at, refused] as const] : [])));

test('a round has one message of each sequence, in their order', async () => {
  const { requests, failed } = await delivered('a1 a2 b1 c1 a3 b2');
  expect(requests).toEqual(['a1 b1 c1', 'a2 b2', 'a3']);
  expect(failed).toEqual([]);
});

test('ten messages share a request, and the requests of a round are sent together', async () => {
  const names = Array.from({ length: 12 }, (_, at) => String.fromCharCode(97 + at));
  let sending = 0;
  let together = 0;
  const sizes: number[] = [];
  await sendInSequence(messagesOf(names.join(' ')), async (batch) => {
    sending += 1;
    together = Math.max(together, sending);
    sizes.push(batch.length);
    await Promise.resolve();
    sending -= 1;
    return new Map();
  });
  expect(sizes).toEqual([10, 2]);
  expect(together).toBe(2);
});

test('after a rejected message the rest of its sequence is not sent, and others continue', async () => {
  const { requests, failed } = await delivered('a1 b1 a2 b2 a3', refuses('a1'));
  expect(requests).toEqual(['a1 b1', 'b2']);
  expect(failed).toEqual([
    ['a1', refused],
    ['a2', refused],
    ['a3', refused],
  ]);
});

test('after a request that fails as a whole no further round is sent', async () => {
  const away = new Error('SQS is away');
  const { requests, failed } = await delivered('a1 b1 a2 c1 b2', () => {
    throw away;
  });
  expect(requests).toEqual(['a1 b1 c1']);
  expect(failed.map(([body]) => body).toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
  expect(new Set(failed.map(([, error]) => error))).toEqual(new Set([away]));
});

test('a request that fails as a whole ends the rounds of concurrent requests too', async () => {
  const away = new Error('SQS is away');
  const names = [...'abcdefghijk'];
  const { requests, failed } = await delivered(
    [...names.map((name) => `${name}1`), 'k2'].join(' '),
    (batch) => {
      if (batch.length > 1) throw away;
      return new Map();
    },
  );
  expect(requests).toHaveLength(2);
  expect(failed).toHaveLength(11);
  expect(failed).toContainEqual(['k2', away]);
});

test('messages that are too large together are sent in requests of their own', async () => {
  const sizes: number[] = [];
  const all = ['a', 'b'].map((name, place) => ({
    place,
    sequenceOf: name,
    body: name.repeat(150 * 1_024),
  }));
  await sendInSequence(all, async (batch) => {
    sizes.push(batch.length);
    return new Map();
  });
  expect(sizes).toEqual([1, 1]);
});

test('without messages no request is sent', async () => {
  const failed = await sendInSequence([], () =>
    Promise.reject(new Error('nothing was to be sent')),
  );
  expect(failed.size).toBe(0);
});

test('each message is accepted or has an error, and none overtakes another of its sequence', async () => {
  const message = fc.record({
    sequenceOf: fc.constantFrom('a', 'b', 'c'),
    isRefused: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 40 }), async (wanted) => {
      const all = wanted.map((one, place) => ({ ...one, place, body: String(place) }));
      const taken: (typeof all)[number][] = [];
      const failed = await sendInSequence(all, async (batch) => {
        taken.push(...batch.filter(({ isRefused }) => !isRefused));
        return new Map(
          batch.flatMap(({ isRefused }, at) => (isRefused ? [[at, refused] as const] : [])),
        );
      });
      expect(taken.length + failed.size).toBe(all.length);
      for (const name of ['a', 'b', 'c']) {
        const own = all.filter(({ sequenceOf }) => sequenceOf === name);
        const first = own.findIndex(({ isRefused }) => isRefused);
        const before = first < 0 ? own : own.slice(0, first);
        expect(taken.filter(({ sequenceOf }) => sequenceOf === name)).toEqual(before);
      }
    }),
  );
});
