/** An application with two Reeves in its stack, beside a secret and a table of its own. */
import { App, RemovalPolicy, SecretValue, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Reeve } from '#infra/reeve.ts';

const stack = new Stack(new App(), 'Shop', { stackName: 'shop' });
const secret = new Secret(stack, 'Psp', {
  secretStringValue: SecretValue.unsafePlainText('psp-key-1234'),
});
const charges = new TableV2(stack, 'Charges', {
  partitionKey: { name: 'id', type: AttributeType.STRING },
  removalPolicy: RemovalPolicy.DESTROY,
});

for (const id of ['Orders', 'Returns']) {
  const reeve = new Reeve(stack, id, {
    workflows: 'test/deploy/foreign/workflows.ts',
    stage: 'dev',
    shards: 1,
  });
  const payment = reeve.addAgent({
    name: 'payment',
    module: 'test/deploy/foreign/agents.ts',
    export: 'paymentAgent',
    environment: { CHARGES_TABLE: charges.tableName },
    secrets: { PSP_KEY: secret },
  });
  charges.grantWriteData(payment.function);
  reeve.addAgent({ name: 'packing', handler: 'test/deploy/foreign/packing-handler.ts' });
}
