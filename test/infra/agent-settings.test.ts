/** Settings by agent: their effect on the template, and the rejection of settings without an agent. */
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharesOf } from '#infra/agents/concurrency.ts';
import type { StackAgentProps } from '#infra/agents/configured-agents.ts';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';
import { stackWith, templateWith } from './scenario.ts';

const handler = 'lambdas/agents/payment.ts';
const agents: readonly StackAgentProps[] = [
  shippedAgent('payment'),
  { name: 'echo', handler },
  { name: 'away' },
];
const services = { payment: 'https://payment.example.com' };
const all = ['low', 'normal', 'high'];

/** The limits of the mappings that agents have, by the queue of each. */
function limitsOf(context: Readonly<Record<string, unknown>>): Record<string, number> {
  const template = templateWith(agents, { services, ...context });
  const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  return Object.fromEntries(
    mappings.flatMap(({ Properties }) => {
      const { MaximumConcurrency: limit } = Properties.ScalingConfig ?? {};
      const [, queue] = /"Agent(\w+)Queue/.exec(JSON.stringify(Properties.EventSourceArn)) ?? [];
      return limit === undefined || queue === undefined ? [] : [[queue, limit]];
    }),
  );
}

describe('concurrency', () => {
  test('is the total over all priority classes, with the remainder for the higher ones', () => {
    expect(limitsOf({ concurrency: { payment: 8 }, priorities: all })).toEqual({
      paymentRequestsHigh: 3,
      paymentRequestsNormal: 3,
      paymentRequestsLow: 2,
    });
    expect(limitsOf({ concurrency: { echo: 5 } })).toEqual({ echoRequestsNormal: 5 });
  });

  test('never exceeds its total, starves no class, and has no share that Lambda rejects', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 6, max: 1_000 }),
        (classes, total) => {
          const shares = sharesOf('payment', total, classes);
          expect(shares).toHaveLength(classes);
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
          expect(Math.min(...shares)).toBeGreaterThanOrEqual(2);
          expect(shares).toEqual(shares.toSorted((a, b) => b - a));
        },
      ),
    );
  });

  test('that cannot be divided is rejected, with a valid value', () => {
    expect(() => limitsOf({ concurrency: { payment: 5 }, priorities: all })).toThrow(
      'Agent payment has a concurrency of 5, which cannot be divided among 3 priority classes',
    );
    expect(() => limitsOf({ concurrency: { payment: 5 }, priorities: all })).toThrow('6 or more');
  });
});

describe('a setting by agent', () => {
  test.each([
    [
      { services: { ...services, paymnet: services.payment } },
      '`services.paymnet` is not an agent',
    ],
    [
      { services: { ...services, away: services.payment } },
      '`services.away` is an agent that runs elsewhere',
    ],
    [
      { services: { ...services, echo: services.payment } },
      '`services.echo` is an agent that does not call a service',
    ],
    [{ services, concurrency: { shiping: 5 } }, '`concurrency.shiping` is not an agent'],
    [{ services, concurrency: { away: 5 } }, '`concurrency.away` is an agent that runs elsewhere'],
    [
      { services: { x: services.payment }, concurrency: { y: 5 } },
      '`concurrency.y` is not an agent of this stack; `services.x` is not an agent of this stack',
    ],
  ])('%j is rejected', (context, message) => {
    expect(() => templateWith(agents, context)).toThrow(message);
  });

  test('the error lists the agents', () => {
    expect(() => templateWith(agents, { services, concurrency: { x: 5 } })).toThrow(
      'The agents are payment, echo, away.',
    );
  });
});

test.each([
  [{}, 1],
  [{ services }, 0],
  [{ stage: 'dev' }, 0],
])('with %j a production without a service is an error: %i', (context, errors) => {
  const found = Annotations.fromStack(stackWith(agents, context)).findError('*', Match.anyValue());
  expect(found).toHaveLength(errors);
  for (const { entry: said } of found)
    expect(said.data).toContain('Missing parameters: services.payment.');
});

test('a function has the address of its service; in dev an address that never answers, until one is set', () => {
  const addresses = (context: Readonly<Record<string, unknown>>) =>
    Object.values(templateWith(agents, context).findResources('AWS::Lambda::Function')).flatMap(
      ({ Properties }) => Properties.Environment.Variables.REEVE_SERVICE_URL ?? [],
    );
  expect(addresses({ services })).toEqual([services.payment]);
  expect(addresses({ stage: 'dev' })).toEqual(['https://payment.invalid']);
});
