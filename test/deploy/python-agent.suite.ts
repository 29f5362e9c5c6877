/**
 * The example agent in Python: it satisfies the agents' contract over the SQS emulator of the unit tests, and
 * completes and undoes orders of a deployed stack through its queues.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentContract } from '../contracts/agent.ts';
import { reconcile } from '../crash/reconcile.ts';
import { startPythonAgent } from '../support/python-agent.ts';
import { bootstrap, deploy, destroy } from './cdk.ts';
import { type BreakableSuppliers, breakableSuppliers, Deployed } from './deployed.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

agentContract('Python', startPythonAgent);

describe('deployed with an agent in Python', () => {
  const order = JSON.parse(readFileSync('examples/order.json', 'utf8'));
  const amountCents = 5_160;
  const agent = z.strictObject({
    requests: z.object({ normal: z.url() }),
    replies: z.url(),
    policy: z.string().startsWith('arn:'),
  });
  let cloud: MiniStack;
  let suppliers: BreakableSuppliers;
  let reeve: Deployed;
  let stopAgent: () => Promise<void> = async () => {};

  beforeAll(async () => {
    suppliers = await breakableSuppliers();
    cloud = await startMiniStack();
    Object.assign(process.env, cloud.env);
    await bootstrap(cloud.env);
    const services = z.record(z.string(), z.url()).parse(JSON.parse(suppliers.services));
    const app = {
      app: 'node test/deploy/python-agent-app.ts',
      stack: 'PythonAgent',
      // The agent has the payment URL in its own configuration.
      context: { stage: 'dev', services: JSON.stringify({ ...services, payment: undefined }) },
    };
    const outputs = await deploy(app, cloud.env);
    reeve = new Deployed(cloud, outputs);
    const payment = agent.parse(JSON.parse(outputs['AgentPayment'] ?? ''));
    stopAgent = await startPythonAgent({
      endpoint: cloud.endpoint,
      requests: payment.requests.normal,
      replies: payment.replies,
      service: `${suppliers.url}/payment`,
    });
  });

  afterAll(async () => {
    try {
      await stopAgent();
      await destroy('reeve-python-agent');
    } finally {
      await cloud.close();
      await suppliers.close();
    }
  });

  test('orders are Processed, and a declined payment is undone, to the cent', async () => {
    const orderIds = await Promise.all(Array.from({ length: 20 }, () => reeve.submit(order)));
    for (const orderId of orderIds) {
      const done = await reeve.until(
        orderId,
        ({ processState }) => processState !== 'Processing' && processState !== 'Pending',
        false,
      );
      expect(done).toMatchObject({ processState: 'Processed', failureCount: 0 });
    }
    await suppliers.set('payment', { declineRate: 1 });
    const declined = await reeve.submit(order);
    const undone = await reeve.until(declined, ({ processState }) => processState === 'Undone');
    expect(undone.fault).toMatchObject({ code: 'declined' });
    const ends = [
      ...orderIds.map((orderId) => ({ orderId, processState: 'Processed' as const, amountCents })),
      { orderId: declined, processState: 'Undone' as const, amountCents },
    ];
    const { faults, counts } = await reconcile(ends, suppliers.url);
    expect(faults).toEqual([]);
    expect(counts).toMatchObject({ processed: 20, undone: 1, centsCharged: 20 * amountCents });
  });
});
