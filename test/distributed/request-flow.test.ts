/** What one instance measures of the requests that it sends to an agent. */
import { expect, test } from 'vitest';
import { orderId, stepName } from '#core/model/ids.ts';
import { requestFlow } from '#distributed/request-flow.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const attempt = (name: string) => ({
  ...{ orderId: orderId(name), step: stepName('paint'), attempt: 1 },
});

/** An agent with thirty calls in flight, and an instance that has sent one request and then so many others, whose replies others handle. */
async function afterReply(others: number) {
  const clock = virtualClock();
  const backlog = { of: async () => ({ waiting: 0, inFlight: 30 }) };
  const flow = requestFlow({ agent: 'paint', backlog, clock, log: testLog() });
  flow.sent(attempt('first'));
  for (let at = 0; at < others; at += 1) flow.sent(attempt(`o-${at}`));
  await clock.advance(60_000);
  flow.replied(attempt('first'), false);
  await flow.read();
  return flow;
}

test('a slow call is measured by its reply', async () => {
  // Of slow calls, those in flight do not keep the next ones back.
  expect((await afterReply(0)).isIdle()).toBe(true);
});

test('requests whose replies other instances handle are forgotten: an instance serves for hours', async () => {
  expect((await afterReply(200)).isIdle()).toBe(false);
});
