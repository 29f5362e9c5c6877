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
} from '#aws/store/tables.ts';
import { limitOfKey, rateItemName } from '#core/flow/limit-names.ts';
import type { ReeveFunction } from '#infra/functions/reeve-function.ts';

/** Properties of {@link StateStore}. */
export interface StateStoreProps {
  /** What happens to the tables when the stack is deleted. */
  readonly removal: RemovalPolicy;
  readonly protectedFromDeletion: boolean;
  /** Partitions of the due and listing indexes, about 500 orders per second each; never lower it. */
  readonly shards: number;
  /** The period of the sweeps, s. */
  readonly sweepSeconds: number;
  /** Days that an order is kept after its end. */
  readonly keepDays: number;
}

const attribute = ({ name, type }: Key) => ({
  name,
  type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
});

/** The tables of the state store, and the permissions of functions on them. */
export class StateStore extends Construct {
  readonly orders: TableV2;
  readonly processes: TableV2;
  readonly coordination: TableV2;
  /** Variables of a function that uses the store. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: StateStoreProps) {
    super(scope, id);
    const common = {
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: props.protectedFromDeletion,
      removalPolicy: props.removal,
    };
    this.orders = new TableV2(this, 'Orders', { ...common, partitionKey: attribute(orderKey) });
    this.processes = new TableV2(this, 'Processes', {
      ...common,
      partitionKey: attribute(orderKey),
      timeToLiveAttribute: expiryAttribute,
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      globalSecondaryIndexes: processIndexes.map(({ name, partition, sort }) => ({
        indexName: name,
        partitionKey: attribute(partition),
        sortKey: attribute(sort),
        projectionType: ProjectionType.KEYS_ONLY,
      })),
    });
    this.coordination = new TableV2(this, 'Coordination', {
      ...common,
      partitionKey: attribute(coordinationKey),
      timeToLiveAttribute: expiryAttribute,
    });
    this.environment = {
      REEVE_ORDERS_TABLE: this.orders.tableName,
      REEVE_PROCESSES_TABLE: this.processes.tableName,
      REEVE_SHARDS: String(props.shards),
      REEVE_SWEEP_SECONDS: String(props.sweepSeconds),
      REEVE_KEEP_DAYS: String(props.keepDays),
    };
  }

  /** Creates order and process record in one transaction. */
  allowCreate(to: ReeveFunction): void {
    to.allow(['dynamodb:PutItem'], this.orders.tableArn, this.processes.tableArn);
    this.allowRead(to);
  }

  /** Writes transitions of existing records. */
  allowCommit(to: ReeveFunction): void {
    to.allow(['dynamodb:PutItem'], this.processes.tableArn);
    this.allowRead(to);
  }

  /** Changes the lines of orders with a singleton key, which are items of the Orders table. */
  allowLines(to: ReeveFunction): void {
    const actions = ['dynamodb:PutItem', 'dynamodb:DeleteItem'];
    to.allowItems(actions, this.orders.tableArn, lineKey('*'));
  }

  allowRead(to: ReeveFunction): void {
    to.allow(['dynamodb:BatchGetItem'], this.orders.tableArn, this.processes.tableArn);
  }

  allowList(to: ReeveFunction): void {
    const listed = [recentIndex, attentionIndex, correlationIndex];
    to.allow(['dynamodb:Query'], ...listed.map((index) => this.arnOf(index)));
  }

  /** Recovers orders, which needs the records but not the orders' details. */
  allowSweep(to: ReeveFunction): void {
    to.allow(['dynamodb:BatchGetItem', 'dynamodb:PutItem'], this.processes.tableArn);
    to.allow(['dynamodb:Query'], this.arnOf(dueIndex), this.arnOf(heldIndex));
    const one = ['GetItem', 'PutItem', 'UpdateItem'];
    to.allow(
      ['BatchGetItem', ...one].map((action) => `dynamodb:${action}`),
      this.coordination.tableArn,
    );
  }

  /** Starts what waits for an agent: reads its circuit and the index of held orders. */
  allowStartHeld(to: ReeveFunction): void {
    to.allow(['dynamodb:Query'], this.arnOf(heldIndex));
    const keys = [circuitKey('*'), agentSettingsKey];
    to.allowItems(['dynamodb:GetItem'], this.coordination.tableArn, ...keys);
  }

  /** Leases room in the limits of all agents, and slots of their rates. */
  allowLimits(to: ReeveFunction): void {
    to.allowItems(['dynamodb:UpdateItem'], this.coordination.tableArn, limitKey('*'));
  }

  /** Leases slots of these rates, for calls that missed theirs and for further calls. @param rates their names; none: nothing */
  allowRates(to: ReeveFunction, rates: readonly string[]): void {
    if (rates.length === 0) return;
    const keys = rates.map((rate) => limitKey(rateItemName(limitOfKey(rate, '*'))));
    to.allowItems(['dynamodb:UpdateItem'], this.coordination.tableArn, ...keys);
  }

  /** Shows what agents do, changes which of them get calls, and starts what waits for them. */
  allowAgents(to: ReeveFunction): void {
    to.allow(['dynamodb:Query'], this.arnOf(heldIndex));
    to.allowItems(['dynamodb:GetItem'], this.coordination.tableArn, circuitKey('*'));
    const actions = ['dynamodb:GetItem', 'dynamodb:UpdateItem'];
    to.allowItems(actions, this.coordination.tableArn, agentSettingsKey);
  }

  /** Shares the circuit of one agent among the instances of its function. */
  allowCircuit(to: ReeveFunction, agent: string): void {
    const actions = ['dynamodb:GetItem', 'dynamodb:UpdateItem'];
    to.allowItems(actions, this.coordination.tableArn, circuitKey(agent));
  }

  /** Reads when the last sweep was. */
  allowRecall(to: ReeveFunction): void {
    to.allow(['dynamodb:BatchGetItem'], this.coordination.tableArn);
  }

  /** Reads how many orders wait. */
  allowAdmission(to: ReeveFunction): void {
    to.allowItems(['dynamodb:GetItem'], this.coordination.tableArn, admissionKey);
  }

  /** Deletes the orders of expired process records, and takes them out of their lines. */
  allowForget(to: ReeveFunction): void {
    to.allow(['dynamodb:BatchWriteItem'], this.orders.tableArn);
    to.allowItems(['dynamodb:BatchGetItem'], this.orders.tableArn, lineKey('*'));
    this.allowLines(to);
  }

  get streamArn(): string {
    const arn = this.processes.tableStreamArn;
    if (arn === undefined) throw new Error('the Processes table has a stream');
    return arn;
  }

  allowStream(to: ReeveFunction): void {
    to.allow(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      this.streamArn,
    );
  }

  private arnOf({ name }: Index): string {
    return `${this.processes.tableArn}/index/${name}`;
  }
}
