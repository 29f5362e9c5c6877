/** The timeouts of functions, compared with the steps that they perform. */
import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import type { AgentProps } from '#infra/agents/agent-props.ts';
import { Reeve } from '#infra/reeve.ts';
import { stackWith } from './scenario.ts';

const handler = 'lambdas/agents/payment.ts';
const patient = { workflows: 'test/infra/patient-workflows.ts' };
const shipping = { name: 'shipping' } as const;

/** What the synthesis warns of where the agent of the workflow `parcel`, whose calls may take ten minutes, is this one. */
const warningsOf = (payment: AgentProps): unknown[] =>
  Annotations.fromStack(stackWith([payment, shipping], {}, patient))
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => entry.data);

test('a function that ends before its longest call may, with all heartbeats, is warned of', () => {
  const warnings = warningsOf({ name: 'payment', handler });
  // The agent shipping has the same calls, and no function.
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(
    'A call of `charge` of workflow parcel 1, or its undo, may take 600 s (`completeWithin`, with heartbeats `maxDuration`), but the function of its agent `payment` of Reeve/Default ends after 30 s, and breaks off a call that takes longer. Give the agent a `timeout` of at least that time',
  );
});

test('a function that lasts as long as its longest call may is not warned of', () => {
  const timeout = Duration.minutes(10);
  expect(warningsOf({ name: 'payment', handler, timeout })).toEqual([]);
});

test('a function that ends before its longest undo may is warned of', () => {
  const timeout = Duration.seconds(60);
  const agents = [
    { name: 'payment', handler, timeout },
    { name: 'shipping', handler, timeout },
  ];
  const stack = stackWith(agents, {}, { workflows: 'test/infra/undo-workflows.ts' });
  const found = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
  expect(found).toHaveLength(1);
  expect(found[0]?.entry.data).toContain(
    '`charge` of workflow parcel 1, or its undo, may take 400 s',
  );
});

test('of a function beside Reeve its own timeout counts', () => {
  const stack = stackWith([], {}, patient);
  const inline = { runtime: Runtime.NODEJS_24_X, handler: 'index.handler' };
  const bank = new LambdaFunction(stack, 'Bank', {
    ...{ ...inline, code: Code.fromInline('bank'), timeout: Duration.minutes(5) },
  });
  const reeve = stack.node.findChild('Default');
  if (!(reeve instanceof Reeve)) throw new Error('it is the construct');
  reeve.addAgent({ name: 'payment', function: bank, timeout: Duration.minutes(10) });
  reeve.addAgent(shipping);
  const found = Annotations.fromStack(stack).findWarning(
    '*',
    Match.stringLikeRegexp('after 300 s'),
  );
  expect(found).toHaveLength(1);
});
