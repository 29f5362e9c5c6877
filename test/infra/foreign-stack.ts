/** The stack of an application with parts of its own, and two Reeves that use them. */
import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FlowLogDestination, InterfaceVpcEndpointAwsService, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Bundle } from '#infra/functions/bundles.ts';
import { Reeve } from '#infra/reeve.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';
import { workflowsOf } from './workflows-of.ts';

/** As in the app of another project; of the settings of Reeve's own app it has none. */
export interface ForeignProps {
  readonly bundle?: Bundle;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly outdir?: string;
  /** Of the Reeve that uses the parts of the stack. */
  readonly reeve?: Partial<ReeveProps>;
}

export function foreignStack({ bundle, context = {}, outdir, reeve = {} }: ForeignProps = {}) {
  const app = new App({ context, ...(outdir !== undefined && { outdir }) });
  const stack = new Stack(app, 'Shop', { stackName: 'shop' });
  const vpc = new Vpc(stack, 'Vpc', {
    maxAzs: 2,
    natGateways: 0,
    restrictDefaultSecurityGroup: false,
  });
  vpc.addFlowLog('Flow', { destination: FlowLogDestination.toCloudWatchLogs() });
  vpc.addInterfaceEndpoint('Queues', { service: InterfaceVpcEndpointAwsService.SQS });
  const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
  const psp = new Secret(stack, 'Psp', { encryptionKey });
  const hook = new Secret(stack, 'Hook');
  const eventBus = new EventBus(stack, 'Bus');
  const alarmTopic = new Topic(stack, 'Operators', { masterKey: encryptionKey, enforceSSL: true });
  const charges = new TableV2(stack, 'Charges', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN,
  });
  const answers = new Queue(stack, 'Answers', {
    encryption: QueueEncryption.KMS,
    encryptionMasterKey: encryptionKey,
    enforceSSL: true,
  });
  const shop = new Role(stack, 'ShopRole', {
    assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
  });
  const mailing = new LambdaFunction(stack, 'Mailing', {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => ({ batchItemFailures: [] });'),
    timeout: Duration.minutes(2),
  });

  const code = bundle && { bundle };
  const orders = new Reeve(stack, 'Orders', {
    ...code,
    workflows: workflowsOf(['payment', 'packing', 'mailing', 'billing']),
    vpc,
    vpcSubnets: { subnets: vpc.isolatedSubnets },
    encryptionKey,
    eventBus,
    alarmTopic,
    recovery: 'prompt',
    submissionQueue: true,
    responseQueues: { shop: answers },
    webhooks: { crm: { url: 'https://crm.example/hook', secret: hook } },
    eventChannels: ['feed'],
    ...reeve,
  });
  const payment = orders.addAgent({
    name: 'payment',
    module: 'test/deploy/foreign/agents.ts',
    export: 'paymentAgent',
    timeout: Duration.minutes(1),
    memorySize: 512,
    environment: { CHARGES_TABLE: charges.tableName },
    secrets: { PSP_KEY: psp },
  });
  charges.grantReadData(payment.function);
  const packing = orders.addAgent({
    name: 'packing',
    handler: 'test/deploy/foreign/packing-handler.ts',
  });
  const mail = orders.addAgent({ name: 'mailing', function: mailing, maxConcurrency: 5 });
  const billing = orders.addAgent({ name: 'billing' });
  orders.grantSubmit(shop);

  const returns = new Reeve(stack, 'Returns', {
    ...code,
    workflows: workflowsOf(['billing']),
    alarmEmail: 'ops@example.com',
  });
  returns.addAgent({ name: 'billing' });
  return {
    ...{ app, stack, orders, returns, shop, charges, psp, mailing },
    agents: { payment, packing, mail, billing },
  };
}
