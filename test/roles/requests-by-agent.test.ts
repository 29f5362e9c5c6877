/** Requests to several agents, some of which do not exist. */
import { expect, test } from 'vitest';
import { ReeveError, UnavailableError } from '#core/model/errors.ts';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import type { Channel } from '#ports/channels.ts';
import { requestsByAgent } from '#roles/requests-by-agent.ts';
import { sendCommands } from '#roles/send-commands.ts';
import { testLog } from '../support/log.ts';

function requestTo(agent: string, order = 'one'): Request {
  const step = stepName(agent);
  const key = idempotencyKey(orderId(order), step, 'perform', 1);
  return {
    orderId: orderId(order),
    workflow: workflowName('dinner'),
    step,
    agent: agentName(agent),
    attempt: 1,
    action: 'perform',
    idempotencyKey: key,
    performKey: key,
    completeBy: 10_000,
    completeWithinMs: 10_000,
    endBy: 10_000,
    input: null,
    output: null,
    priority: 'normal',
    tenant: null,
  };
}

function taking() {
  const sends: string[][] = [];
  const channel: Channel<Request> = {
    async send(requests) {
      sends.push(requests.map((request) => request.orderId));
    },
  };
  return { sends, channel };
}

const sentence =
  'There is no agent waiter. Add it to the agents of this Reeve; the Supervisor then repeats the request.';

test('each agent gets its own requests, in one send', async () => {
  const [cook, oven] = [taking(), taking()];
  const requests = requestsByAgent(
    new Map([
      ['cook', cook.channel],
      ['oven', oven.channel],
    ]),
  );
  await requests.send([requestTo('cook'), requestTo('oven'), requestTo('cook', 'two')]);
  expect([cook.sends, oven.sends]).toEqual([[['one', 'two']], [['one']]]);
});

test('a request to an unknown agent is an error, and the others are sent', async () => {
  const cook = taking();
  const requests = requestsByAgent(new Map([['cook', cook.channel]]));
  const sent = requests.send([requestTo('waiter'), requestTo('cook')]);
  await expect(sent).rejects.toThrow(
    expect.objectContaining({ name: 'DefinitionError', code: 'agent-missing', message: sentence }),
  );
  expect(cook.sends).toEqual([['one']]);
});

test('the failure of one channel rejects the send after the other channels have sent theirs', async () => {
  const oven = taking();
  const failure = new UnavailableError('aws-unavailable', 'SQS did not answer.');
  const requests = requestsByAgent(
    new Map([
      ['cook', { send: () => Promise.reject(failure) }],
      ['oven', oven.channel],
    ]),
  );
  await expect(requests.send([requestTo('cook'), requestTo('oven')])).rejects.toBe(failure);
  expect(oven.sends).toEqual([['one']]);
});

test('an agent that is added later gets its requests', async () => {
  const [cook, channels] = [taking(), new Map<string, Channel<Request>>()];
  const requests = requestsByAgent(channels);
  channels.set('cook', cook.channel);
  await requests.send([requestTo('cook')]);
  expect(cook.sends).toEqual([['one']]);
});

test('the log says which agent is missing, with the code', async () => {
  const log = testLog();
  const nudges = { async send() {} };
  const channels = { nudges, requests: requestsByAgent(new Map()) };
  await sendCommands({ channels, log }, [{ kind: 'request', request: requestTo('waiter') }]);
  const fields = { nudges: 0, requests: 1, error: sentence, code: 'agent-missing' };
  expect(log.lines).toEqual([{ event: 'messages-lost', fields }]);
});

test.each([
  ['an error of a library', new TypeError('secret'), 'TypeError', null],
  ['no error', 'secret', 'unknown', null],
  ['an error of Reeve', new ReeveError('contention', 'It is full.'), 'It is full.', 'contention'],
])('%s is logged without text that may hold data', async (_, failure, error, code) => {
  const log = testLog();
  const requests = { send: () => Promise.reject(failure) };
  const channels = { nudges: { async send() {} }, requests };
  await sendCommands({ channels, log }, [{ kind: 'request', request: requestTo('cook') }]);
  expect(log.lines).toEqual([
    { event: 'messages-lost', fields: { nudges: 0, requests: 1, error, code } },
  ]);
});
