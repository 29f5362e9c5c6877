/** The evaluation of rights that the deploy test uses (test/deploy/rights.suite.ts). */
import { expect, test } from 'vitest';
import { type AwsRequest, callsOf } from '../deploy/rights/calls.ts';
import { evaluate, grantsIn } from '../deploy/rights/evaluation.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Orders';
const policy = (Statement: object) => ({ Version: '2012-10-17', Statement: [Statement] });
const grants = grantsIn(
  'Scheduler',
  policy({ Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: [table, `${table}/index/*`] }),
);
const call = (action: string, resource: string, caller = 'Scheduler') => ({
  caller,
  action,
  resource,
});

test('a call is allowed to its caller, for its action, on its resource, and to no other', () => {
  const allowed = [call('dynamodb:PutItem', table), call('dynamodb:PutItem', `${table}/index/Due`)];
  expect(evaluate(allowed, grants)).toEqual({ refused: [], unused: [] });
  for (const other of [
    call('dynamodb:PutItem', table, 'notifier'),
    call('dynamodb:GetItem', table),
    call('dynamodb:PutItem', `${table}2`),
  ]) {
    expect(evaluate([other], grants).refused).toEqual([other]);
  }
});

test('a grant that no call used is named', () => {
  expect(evaluate([call('dynamodb:PutItem', table)], grants).unused).toEqual([
    call('dynamodb:PutItem', `${table}/index/*`),
  ]);
});

test.each([
  { Effect: 'Deny', Action: 'dynamodb:PutItem', Resource: table },
  { Effect: 'Allow', Action: 'dynamodb:*', Resource: table },
  { Effect: 'Allow', NotAction: 'dynamodb:PutItem', Resource: table },
  { Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: table, Condition: {} },
])('a statement with unsupported content is an error: %j', (statement) => {
  expect(() => grantsIn('Scheduler', policy(statement))).toThrow();
});

const request = (target: string, body: object): AwsRequest => ({
  method: 'POST',
  path: '/',
  target,
  body: JSON.stringify(body),
});
const actions = (asked: AwsRequest) => callsOf('x', asked).map(({ action }) => action);

test('a grant for one item is none for another', () => {
  const Condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': 'circuit#*' } };
  const own = grantsIn(
    'Scheduler',
    policy({ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table, Condition }),
  );
  const [read] = callsOf('Scheduler', {
    method: 'POST',
    path: '/',
    target: 'DynamoDB_20120810.GetItem',
    body: JSON.stringify({ TableName: 'Orders', Key: { Name: { S: 'circuit#payment' } } }),
  });
  if (read === undefined) throw new Error('it is a call');
  expect(evaluate([read], own)).toEqual({ refused: [], unused: [] });
  const others = [{ ...read, key: 'sweep' }, call('dynamodb:GetItem', table)];
  expect(evaluate(others, own).refused).toEqual(others);
});

test('a grant for the keys of a pattern is none for others that begin alike', () => {
  const Condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': 'limit#a/b#*#rate' } };
  const Action = 'dynamodb:UpdateItem';
  const own = grantsIn('x', policy({ Effect: 'Allow', Action, Resource: table, Condition }));
  const rate = { ...call(Action, table), caller: 'x', key: 'limit#a/b#key#rate' };
  const room = { ...rate, key: 'limit#a/b#key#calls' };
  expect(evaluate([rate, room], own).refused).toEqual([room]);
});

test('each item of a transaction, and each key of a batch that is read, needs a grant', () => {
  const Condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': 'line#*' } };
  const Action = ['dynamodb:PutItem', 'dynamodb:BatchGetItem'];
  const own = grantsIn('x', policy({ Effect: 'Allow', Action, Resource: table, Condition }));
  const put = (id: string) => ({ Put: { TableName: 'Orders', Item: { OrderID: { S: id } } } });
  const made = [
    ...callsOf(
      'x',
      request('DynamoDB_20120810.TransactWriteItems', {
        TransactItems: [put('one'), put('line#a')],
      }),
    ),
    ...callsOf(
      'x',
      request('DynamoDB_20120810.BatchGetItem', {
        RequestItems: { Orders: { Keys: ['two', 'line#a'].map((id) => ({ OrderID: { S: id } })) } },
      }),
    ),
  ];
  const { refused, unused } = evaluate(made, own);
  expect(refused.map(({ key }) => key)).toEqual(['one', 'two']);
  expect(unused).toEqual([]);
});

test('a transaction or a batch needs the rights of its single calls', () => {
  const transaction = request('DynamoDB_20120810.TransactWriteItems', {
    TransactItems: [{ Put: { TableName: 'Orders' } }, { ConditionCheck: { TableName: 'Orders' } }],
  });
  expect(callsOf('x', transaction)).toEqual([
    call('dynamodb:PutItem', table, 'x'),
    call('dynamodb:ConditionCheckItem', table, 'x'),
  ]);
  const queue = { QueueUrl: 'http://127.0.0.1:1/000000000000/ready' };
  expect(callsOf('x', request('AmazonSQS.SendMessageBatch', queue))).toEqual([
    call('sqs:SendMessage', 'arn:aws:sqs:us-east-1:000000000000:ready', 'x'),
  ]);
  const keys = { RequestItems: { Orders: {} } };
  expect(actions(request('DynamoDB_20120810.BatchGetItem', keys))).toEqual([
    'dynamodb:BatchGetItem',
  ]);
});

test('a request of an unknown kind is an error', () => {
  expect(() => actions(request('Kinesis_20131202.PutRecord', {}))).toThrow('No right is known');
});
