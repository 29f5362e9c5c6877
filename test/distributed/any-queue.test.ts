/** The queues among which the concurrency of an agent is divided. */
import { expect, test } from 'vitest';
import { anyQueue } from '#distributed/any-queue.ts';

test('each batch goes whole to the queue to which the least was sent', async () => {
  const sent: string[] = [];
  const queue = (name: string) => ({
    async send(messages: readonly string[]) {
      sent.push(`${name} ${messages.join('')}`);
    },
  });
  const { send } = anyQueue([queue('one'), queue('two')]);
  for (const batch of [['a', 'b', 'c'], ['d'], ['e'], ['f'], ['g'], ['h']]) await send(batch);
  expect(sent).toEqual(['one abc', 'two d', 'two e', 'two f', 'one g', 'two h']);
});
