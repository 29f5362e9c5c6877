import fc from 'fast-check';
import { expect, test } from 'vitest';
import { responseChannels } from '#aws/notifications/response-channel.ts';
import {
  deadLetterNames,
  deadLettersOf,
  queueNames,
  replyingAgent,
} from '#aws/queues/queue-names.ts';
import { byPriority, queuesOf } from '#aws/queues/queue-of-priority.ts';
import { agentName } from '#core/model/ids.ts';
import { priorities } from '#core/model/record.ts';

const at = 'https://sqs.ap-southeast-2.amazonaws.com/123456789012/reeve-prod';
const prefix = 'reeve-prod';
const arn = (name: string) => `arn:aws:sqs:ap-southeast-2:123456789012:${name}`;
const name = fc.stringMatching(new RegExp(agentName.pattern));
const priority = fc.constantFrom(...priorities);

test('the dead letters of a queue follow from its ARN, for every agent name', () => {
  fc.assert(
    fc.property(name, priority, (agent, of) => {
      const deadOf = (queue: string) => deadLettersOf(at, arn(queue));
      expect(deadOf(queueNames.ready(prefix, of))).toBe(deadLetterNames.ready(at));
      expect(deadOf(queueNames.request(prefix, agent, of))).toBe(
        deadLetterNames.request(at, agent),
      );
      expect(deadOf(queueNames.reply(prefix, agent))).toBe(deadLetterNames.reply(at, agent));
      expect(deadOf(queueNames.check(prefix))).toBe(deadLetterNames.check(at));
      expect(deadOf(queueNames.submission(prefix))).toBe(deadLetterNames.submission(at));
    }),
  );
});

test('a reply queue identifies its agent, and no other queue does', () => {
  fc.assert(
    fc.property(name, priority, (agent, of) => {
      const agentOf = (queue: string) => replyingAgent(at, arn(queue));
      expect(agentOf(queueNames.reply(prefix, agent))).toBe(agent);
      expect(agentOf(queueNames.request(prefix, agent, of))).toBeUndefined();
      expect(agentOf(queueNames.ready(prefix, of))).toBeUndefined();
      expect(agentOf(deadLetterNames.reply(prefix, agent))).toBeUndefined();
    }),
  );
});

test('queues of another deployment are not recognised', () => {
  for (const other of ['reeve', 'reeve-prod-2', 'xreeve-prod']) {
    expect(replyingAgent(at, arn(queueNames.reply(other, 'payment')))).toBeUndefined();
    expect(deadLettersOf(at, arn(queueNames.reply(other, 'payment')))).toBeUndefined();
  }
  expect(deadLettersOf(at, '')).toBeUndefined();
});

test('no two queues of a deployment have the same name', () => {
  const namesFor = (agent: string) => [
    ...priorities.flatMap((of) => [
      queueNames.ready(prefix, of),
      queueNames.request(prefix, agent, of),
    ]),
    queueNames.reply(prefix, agent),
    queueNames.webhook(prefix, agent),
    queueNames.check(prefix),
    queueNames.submission(prefix),
    queueNames.retry(prefix),
    ...Object.values(deadLetterNames).map((named) => named(prefix, agent)),
  ];
  fc.assert(
    fc.property(name, name, (one, other) => {
      const names = new Set([...namesFor(one), ...namesFor(other)]);
      const shared = priorities.length + 3 + 7;
      const own = namesFor(one).length - shared;
      expect(names.size).toBe(shared + (one === other ? own : 2 * own));
    }),
  );
});

test('a response channel is a queue, events, or the FIFO queue of its own name', () => {
  const till = 'https://sqs.eu-west-1.amazonaws.com/123456789012/till';
  expect(responseChannels(at, { till, feed: 'events', shop: 'webhook' })).toEqual({
    till: { kind: 'queue', url: till },
    feed: { kind: 'events' },
    shop: { kind: 'webhook', url: `${at}_webhook_shop.fifo` },
  });
});

test('a priority without a queue shares that of normal; without it the deployment is invalid', () => {
  const queues = queuesOf(['high', 'normal'], (of) => queueNames.ready(at, of));
  expect(queues).toEqual({ high: `${at}_ready_high`, normal: `${at}_ready_normal` });
  const urls = priorities.map((of) => [of, byPriority(queues)({ priority: of })]);
  expect(Object.fromEntries(urls)).toEqual({ ...queues, low: queues.normal });
  expect(() => byPriority({ high: 'x' })({ priority: 'low' })).toThrow(
    expect.objectContaining({
      code: 'queue-missing',
      message: expect.stringContaining('no queue for priority low, nor one for normal'),
    }),
  );
});
