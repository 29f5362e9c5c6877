import { sqsClient } from '#aws/clients/sqs-client.ts';
import { payment } from '#workflows/order-contracts.ts';
import { serviceAgent } from '#workflows/service-agent.ts';
import { agentContract } from '../contracts/agent.ts';
import { pollQueue } from '../support/lambda-poller.ts';

agentContract('TypeScript', async ({ endpoint, requests, replies, service }) => {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    REEVE_REPLY_QUEUE: replies,
    REEVE_COORDINATION_TABLE: 'no-call-fails-so-none-is-needed',
    REEVE_QUEUES: `${endpoint}/000000000000/test`,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { agentHandler } = await import('../../lambdas/agent-handler.ts');
  const handler = agentHandler({ agent: serviceAgent(payment, service, fetch) });
  return pollQueue(sqsClient({ endpoint }), requests, (event, context) => handler(event, context));
});
