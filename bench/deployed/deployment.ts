/** The shipped app, deployed by the CDK into the emulator as `npm run test:deploy` does it, with recorded services. */
import { bootstrap, deploy, destroy } from '../../test/deploy/cdk.ts';
import {
  type BreakableSuppliers,
  breakableSuppliers,
  Deployed,
} from '../../test/deploy/deployed.ts';
import { FlowStack } from '../../test/deploy/flow-stack.ts';
import { type MiniStack, startMiniStack } from '../../test/deploy/ministack.ts';

export interface Deployment {
  readonly cloud: MiniStack;
  readonly suppliers: BreakableSuppliers;
  readonly reeve: Deployed;
  readonly stored: FlowStack;
  close(): Promise<void>;
}

/** The queues are polled as Lambda does it (test/deploy/pollers.py), each by several environments of its function. */
export async function deployment(): Promise<Deployment> {
  const suppliers = await breakableSuppliers();
  const cloud = await startMiniStack({ pollers: 'as-lambda' });
  const close = async () => {
    await cloud.close();
    await suppliers.close();
  };
  try {
    await bootstrap(cloud.env);
    const context = { stage: 'dev', services: suppliers.services };
    const reeve = new Deployed(cloud, await deploy({ stack: 'Reeve', context }, cloud.env));
    const stored = await FlowStack.of(cloud, reeve);
    return {
      cloud,
      suppliers,
      reeve,
      stored,
      async close() {
        try {
          await destroy('reeve-dev');
        } finally {
          await close();
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
