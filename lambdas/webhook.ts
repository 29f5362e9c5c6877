/** A webhook: invoked by the FIFO queue of its receiver's undelivered messages. */
import { secretsClient } from '#aws/clients/secrets-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import type { BatchResponse, LambdaHandler, QueueEvent } from '#aws/lambda-events.ts';
import { deliverFifo } from '#aws/queues/fifo-batch.ts';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { secretReader } from '#aws/secret-reader.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { statusId } from '#core/model/change.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { webhook } from '#runtime/node/webhook.ts';
import { webhookSecrets } from '#runtime/node/webhook-signature.ts';
import { readConfig, webhookVariables } from './config.ts';
import { metered, publishedOnDemand } from './metered.ts';
import { log, loggedBatches } from './telemetry.ts';

/** The handler of the function of one webhook. */
export function webhookHandler(): LambdaHandler<QueueEvent, BatchResponse> {
  const config = readConfig(webhookVariables);
  const sqs = sqsClient();
  const { REEVE_WEBHOOK_SECRET: secretArn } = config;
  const secret = secretReader(secretArn, secretsClient(secretArn));
  const respond = webhook({
    name: config.REEVE_WEBHOOK,
    url: config.REEVE_WEBHOOK_URL,
    secrets: async () => webhookSecrets(await secret(), `The secret of ${config.REEVE_WEBHOOK}`),
    keepsConnections: false,
    fetch,
    clock: systemClock,
  });
  const hide = hideMessages(sqs);
  const { publish, published } = publishedOnDemand();
  const dimensions = { webhook: config.REEVE_WEBHOOK };

  return loggedBatches('queue', async (event) => {
    const response = await deliverFifo(event, {
      codec: statusCodec,
      deliver: (change, body) => respond({ change, id: statusId(change), body }),
      hide,
      clock: systemClock,
      log: metered(log, (values) => publish(values, dimensions)),
    });
    await published();
    return response;
  });
}
