import { expect, test } from 'vitest';
import { limits } from '#core/model/limits.ts';
import { simQueues } from '#sim/ports/queues.ts';
import { surroundings } from './support.ts';

const visibilityMs = 3_000;

/** Receives a notification from the retry queue as often as a queue allows, and once more. */
async function receivedTooOften(oneProcess: boolean) {
  const around = surroundings();
  const { retries } = simQueues(
    { oneProcess, visibilityMs },
    around,
    () => {},
    () => {},
  );
  retries.putSafely(['a notification']);
  for (let receives = 0; receives <= limits.receivesMax; receives += 1) {
    await around.timeline.runUntil(around.timeline.now() + 2 * visibilityMs);
    retries.receive();
  }
  return retries;
}

test('one process keeps a notification, however often its delivery was begun', async () => {
  const retries = await receivedTooOften(true);
  expect(retries.deadLetters).toEqual([]);
  expect(retries.size()).toBe(1);
});

test('in a deployment, a notification that was received too often becomes a dead letter', async () => {
  const retries = await receivedTooOften(false);
  expect(retries.deadLetters).toHaveLength(1);
  expect(retries.size()).toBe(0);
});
