/** The tables of a stack: exactly their keys, indexes, capacity, stream, expiry, backups and protection, in each stage. */
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { templateOf } from '../scenario.ts';
import { nameOf, whole } from './whole-stack.ts';

interface Stage {
  /** Of the stack and of an update that replaces the table. */
  readonly policy: 'Retain' | 'Delete';
  readonly isProtected: boolean;
}

const key = (...names: readonly string[]) =>
  names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));
const typed = (types: Readonly<Record<string, 'S' | 'N'>>) =>
  Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));

/** No index has more than keys: each further attribute is paid with every write, and would be data of the order in one more place. */
const index = (IndexName: string, partition: string, sort: string) => ({
  IndexName,
  KeySchema: key(partition, sort),
  Projection: { ProjectionType: 'KEYS_ONLY' },
});
const indexes = [
  index('Due', 'DueShard', 'DueAt'),
  index('Recent', 'DueShard', 'SubmittedAt'),
  index('Attention', 'Attention', 'SubmittedAt'),
  index('Correlation', 'DueShard', 'CorrelationID'),
  index('Held', 'HeldFor', 'HeldTurn'),
];

/** On demand without a bound of its own; with the key of DynamoDB, which costs nothing; restorable to each second of 35 days. */
function table({ policy, isProtected }: Stage, own: object, perReplica: object = {}) {
  return {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: false },
      Replicas: [
        {
          Region: { Ref: 'AWS::Region' },
          DeletionProtectionEnabled: isProtected,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          ...perReplica,
        },
      ],
      ...own,
    },
    UpdateReplacePolicy: policy,
    DeletionPolicy: policy,
  };
}

const expires = { TimeToLiveSpecification: { AttributeName: 'ExpiresAt', Enabled: true } };
const tables = (stage: Stage) => ({
  StateStoreOrders: table(stage, {
    AttributeDefinitions: typed({ OrderID: 'S' }),
    KeySchema: key('OrderID'),
  }),
  StateStoreProcesses: table(
    stage,
    {
      AttributeDefinitions: typed({
        ...{ OrderID: 'S', DueShard: 'N', DueAt: 'N', SubmittedAt: 'N' },
        ...{ Attention: 'S', CorrelationID: 'S', HeldFor: 'S', HeldTurn: 'S' },
      }),
      KeySchema: key('OrderID'),
      GlobalSecondaryIndexes: indexes,
      // The notifier compares the states before and after.
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      ...expires,
    },
    { GlobalSecondaryIndexes: indexes.map(({ IndexName }) => ({ IndexName })) },
  ),
  StateStoreCoordination: table(stage, {
    AttributeDefinitions: typed({ Name: 'S' }),
    KeySchema: key('Name'),
    ...expires,
  }),
});

const found = (template: Template) =>
  Object.fromEntries(
    Object.entries(template.findResources('AWS::DynamoDB::GlobalTable')).map(([id, resource]) => [
      nameOf(id),
      resource,
    ]),
  );

test('in dev they are deleted with the stack', () => {
  expect(found(whole)).toEqual(tables({ policy: 'Delete', isProtected: false }));
});

test('in prod they are kept, and protected from deletion', () => {
  expect(found(templateOf())).toEqual(tables({ policy: 'Retain', isProtected: true }));
});
