import * as cdk from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { Reeve } from 'reeve/cdk';

export class ShopStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    const vpc = new ec2.Vpc(this, 'Network');
    const key = new secretsmanager.Secret(this, 'BankKey');
    const reeve = new Reeve(this, 'Orders', { workflows: 'src/workflow.ts', vpc });
    reeve.addAgent({ name: 'stock', module: 'src/agents.ts', export: 'stockAgent' });
    reeve.addAgent({
      name: 'payment',
      module: 'src/agents.ts',
      export: 'paymentAgent',
      secrets: { BANK_KEY: key },
    });
  }
}
