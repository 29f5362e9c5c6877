import * as cdk from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { Reeve } from 'reeve/cdk';

export class ShopStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    // What the app had before.
    const vpc = new Vpc(this, 'Network', { maxAzs: 2 });
    const bankKey = new Secret(this, 'BankKey');
    const charges = new TableV2(this, 'Charges', {
      partitionKey: { name: 'key', type: AttributeType.STRING },
    });
    const checkout = new LambdaFunction(this, 'Checkout', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => {};'),
    });

    const reeve = new Reeve(this, 'Orders', { workflows: 'src/workflow.ts' });
    const payment = reeve.addAgent({
      name: 'payment',
      module: 'src/agents.ts',
      export: 'paymentAgent',
      vpc,
      environment: { CHARGES_TABLE: charges.tableName },
      secrets: { BANK_KEY: bankKey },
    });
    charges.grantReadWriteData(payment.function);
    checkout.addEnvironment('REEVE_URL', reeve.apiUrl);
    reeve.grantSubmit(checkout);
  }
}
