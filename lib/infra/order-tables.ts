/** The state store: orders, process records with their indexes and stream, and the sweep memory of Supervisors. */
import type { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import {
  admissionKey,
  agentSettingsKey,
  attentionIndex,
  circuitKey,
  coordinationKey,
  correlationIndex,
  dueIndex,
  expiryAttribute,
  heldIndex,
  type Index,
  type Key,
  limitKey,
  lineKey,
  orderKey,
  processIndexes,
  recentIndex,
  replyDelayKey,
} from '#aws/store/tables.ts';
import { limitOfKey, rateItemName } from '#core/flow/limit-names.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { AnyTable } from '#infra/deployment/given.ts';
import type { Grantee } from '#infra/functions/grantee.ts';
import { warmTables } from './warm-throughput.ts';

/** The tables of a deployment. */
export interface ReeveTables {
  /** The details of orders that are not stored with their records, and the lines of singleton keys. */
  readonly orders: AnyTable;
  /** The process records, those of small orders with their details, with their indexes and a change stream of new and old images. */
  readonly processes: AnyTable;
  /** What sweeps and functions remember together. */
  readonly coordination: AnyTable;
}

/** Properties of {@link StateStore}. */
export interface StateStoreProps {
  /** Existing tables, with the keys and indexes of those that Reeve makes. @default new ones */
  readonly tables?: ReeveTables | undefined;
  /** What happens to the tables when the stack is deleted. */
  readonly removal: RemovalPolicy;
  readonly protectedFromDeletion: boolean;
  /** Partitions of the due and listing indexes, about 350 orders per second each; never lower it. */
  readonly shards: number;
  /** The period of the sweeps, s. */
  readonly sweepSeconds: number;
  /** Days that an order is kept after its end. */
  readonly keepDays: number;
  /** New orders per second that the tables accept from their first minute. @default as DynamoDB makes them */
  readonly warmOrdersPerSecond?: number | undefined;
}

const attribute = ({ name, type }: Key) => ({
  name,
  type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
});

/** The tables of the state store, and the permissions of functions on them. */
export class StateStore extends Construct implements ReeveTables {
  readonly orders: AnyTable;
  readonly processes: AnyTable;
  readonly coordination: AnyTable;
  /** Variables of a function that uses the store. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: StateStoreProps) {
    super(scope, id);
    const { orders, processes, coordination } = props.tables ?? newTables(this, props);
    this.orders = orders;
    this.processes = processes;
    this.coordination = coordination;
    this.environment = {
      REEVE_ORDERS_TABLE: this.orders.tableName,
      REEVE_PROCESSES_TABLE: this.processes.tableName,
      REEVE_SHARDS: String(props.shards),
      REEVE_SWEEP_SECONDS: String(props.sweepSeconds),
      REEVE_KEEP_DAYS: String(props.keepDays),
    };
  }

  /** Creates order and process record, as one item or in one transaction. */
  allowCreate(to: Grantee): void {
    to.allow(['dynamodb:PutItem'], this.orders.tableArn, this.processes.tableArn);
    this.allowRead(to);
  }

  /** Writes transitions of existing records. */
  allowCommit(to: Grantee): void {
    to.allow(['dynamodb:PutItem'], this.processes.tableArn);
    this.allowRead(to);
  }

  /** Changes the lines of orders with a singleton key, which are items of the Orders table. */
  allowLines(to: Grantee): void {
    const actions = ['dynamodb:PutItem', 'dynamodb:DeleteItem'];
    to.allowItems(actions, this.orders.tableArn, lineKey('*'));
  }

  allowRead(to: Grantee): void {
    to.allow(['dynamodb:BatchGetItem'], this.orders.tableArn, this.processes.tableArn);
  }

  allowList(to: Grantee): void {
    const listed = [recentIndex, attentionIndex, correlationIndex];
    to.allow(['dynamodb:Query'], ...listed.map((index) => this.arnOf(index)));
  }

  /** Recovers orders, which needs the records; the details of small orders are a part of them. */
  allowSweep(to: Grantee): void {
    to.allow(['dynamodb:BatchGetItem', 'dynamodb:PutItem'], this.processes.tableArn);
    to.allow(['dynamodb:Query'], this.arnOf(dueIndex), this.arnOf(heldIndex));
    const one = ['GetItem', 'PutItem', 'UpdateItem'];
    to.allow(
      ['BatchGetItem', ...one].map((action) => `dynamodb:${action}`),
      this.coordination.tableArn,
    );
  }

  /** Notes how long replies wait. */
  allowNoteReplies(to: Grantee): void {
    to.allowItems(['dynamodb:UpdateItem'], this.coordination.tableArn, replyDelayKey('*'));
  }

  /** Starts what waits for an agent: reads its circuit and the index of held orders. */
  allowStartHeld(to: Grantee): void {
    to.allow(['dynamodb:Query'], this.arnOf(heldIndex));
    const keys = [circuitKey('*'), agentSettingsKey];
    to.allowItems(['dynamodb:GetItem'], this.coordination.tableArn, ...keys);
  }

  /** Leases room in the limits of all agents, and slots of their rates. */
  allowLimits(to: Grantee): void {
    to.allowItems(['dynamodb:UpdateItem'], this.coordination.tableArn, limitKey('*'));
  }

  /** Leases slots of these rates, for calls that missed theirs and for further calls. @param rates their names; none: nothing */
  allowRates(to: Grantee, rates: readonly string[]): void {
    if (rates.length === 0) return;
    const keys = rates.map((rate) => limitKey(rateItemName(limitOfKey(rate, '*'))));
    to.allowItems(['dynamodb:UpdateItem'], this.coordination.tableArn, ...keys);
  }

  /** Shows what agents do, changes which of them get calls, and starts what waits for them. */
  allowAgents(to: Grantee): void {
    to.allow(['dynamodb:Query'], this.arnOf(heldIndex));
    to.allowItems(['dynamodb:GetItem'], this.coordination.tableArn, circuitKey('*'));
    const actions = ['dynamodb:GetItem', 'dynamodb:UpdateItem'];
    to.allowItems(actions, this.coordination.tableArn, agentSettingsKey);
  }

  /** Shares the circuit of one agent among the instances of its function. */
  allowCircuit(to: Grantee, agent: string): void {
    const actions = ['dynamodb:GetItem', 'dynamodb:UpdateItem'];
    to.allowItems(actions, this.coordination.tableArn, circuitKey(agent));
  }

  /** Reads when the last sweep was. */
  allowRecall(to: Grantee): void {
    to.allow(['dynamodb:BatchGetItem'], this.coordination.tableArn);
  }

  /** Reads how many orders wait. */
  allowAdmission(to: Grantee): void {
    to.allowItems(['dynamodb:GetItem'], this.coordination.tableArn, admissionKey);
  }

  /** Deletes the orders of expired process records, and takes them out of their lines. */
  allowForget(to: Grantee): void {
    to.allow(['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem'], this.orders.tableArn);
    to.allowItems(['dynamodb:BatchGetItem'], this.orders.tableArn, lineKey('*'));
    this.allowLines(to);
  }

  get streamArn(): string {
    const arn = this.processes.tableStreamArn;
    if (arn !== undefined) return arn;
    throw new ReeveError(
      'settings-invalid',
      `The table \`tables.processes\` of ${this.node.path} has no known stream. Import it with its \`tableStreamArn\`.`,
    );
  }

  allowStream(to: Grantee): void {
    // All four are what Lambda asks of the role, though its pollers list no streams:
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html
    to.allow(
      [
        'dynamodb:DescribeStream',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
      ],
      this.streamArn,
    );
  }

  private arnOf({ name }: Index): string {
    return `${this.processes.tableArn}/index/${name}`;
  }
}

function newTables(scope: Construct, props: StateStoreProps): ReeveTables {
  const common = {
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: props.protectedFromDeletion,
    removalPolicy: props.removal,
  };
  const { warmOrdersPerSecond: orders, shards } = props;
  const warm = warmTables(orders === undefined ? undefined : { orders, shards });
  return {
    orders: new TableV2(scope, 'Orders', {
      ...common,
      ...warm('Orders'),
      partitionKey: attribute(orderKey),
    }),
    processes: new TableV2(scope, 'Processes', {
      ...common,
      ...warm('Processes'),
      partitionKey: attribute(orderKey),
      timeToLiveAttribute: expiryAttribute,
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      globalSecondaryIndexes: processIndexes.map(({ name, partition, sort }) => ({
        indexName: name,
        partitionKey: attribute(partition),
        sortKey: attribute(sort),
        projectionType: ProjectionType.KEYS_ONLY,
        ...warm(name),
      })),
    }),
    coordination: new TableV2(scope, 'Coordination', {
      ...common,
      partitionKey: attribute(coordinationKey),
      timeToLiveAttribute: expiryAttribute,
    }),
  };
}
