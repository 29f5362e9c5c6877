import { App, Stack } from 'aws-cdk-lib';
import { Reeve } from 'reeve/cdk';

const app = new App();
const stack = new Stack(app, 'Shop');
const reeve = new Reeve(stack, 'Orders', { workflows: 'src/workflow.ts' });
reeve.addAgent({ name: 'stock', module: 'src/agents.ts', export: 'stockAgent' });
reeve.addAgent({ name: 'payment', module: 'src/agents.ts', export: 'paymentAgent' });
