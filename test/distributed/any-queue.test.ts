/** The queues among which the concurrency of an agent is divided. */
import { expect, test } from 'vitest';
import { anyQueue } from '#distributed/any-queue.ts';

/** Sends batches by a new instance, whose random number is `drawn`. */
async function sentBy(drawn: number, batches: readonly (readonly string[])[]) {
  const sent: string[] = [];
  const queue = (name: string) => ({
    async send(messages: readonly string[]) {
      sent.push(`${name} ${messages.join('')}`);
    },
  });
  const { send } = anyQueue([queue('one'), queue('two')], { next: () => drawn });
  for (const batch of batches) await send(batch);
  return sent;
}

test('each batch goes whole to the queue to which the least was sent', async () => {
  const batches = [['a', 'b', 'c'], ['d'], ['e'], ['f'], ['g'], ['h']];
  const sent = ['one abc', 'two d', 'two e', 'two f', 'one g', 'two h'];
  expect(await sentBy(0, batches)).toEqual(sent);
});

test('new instances begin at different queues, so that those that send little use all of them', async () => {
  expect(await sentBy(0.4, [['a']])).toEqual(['one a']);
  expect(await sentBy(0.5, [['a'], ['b']])).toEqual(['two a', 'one b']);
});
