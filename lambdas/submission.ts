/** Submission by queue, for producers in the account that prefer sending to calling. */
import { senderOf } from '#aws/caller.ts';
import type { BatchResponse, LambdaHandler, QueueEvent } from '#aws/lambda-events.ts';
import { batchingChannel } from '#aws/queues/batching-channel.ts';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { parking } from '#aws/queues/parking.ts';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { deadLettersOf } from '#aws/queues/queue-names.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { submissionDelivery } from '#roles/submission/submission-delivery.ts';
import { copyingWorkflows } from '#runtime/copies/workflow-copies.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { nudgeChannel } from './channels.ts';
import { queueVariables, readConfig } from './config.ts';
import { metered, publishedOnDemand } from './metered.ts';
import { functionStore } from './store.ts';
import { submissionRole } from './submission-role.ts';
import { log, loggedBatches } from './telemetry.ts';
import type { WorkflowsOption } from './workflows-option.ts';

/** The handler of the function that the submission queue invokes. */
export function submissionHandler({
  workflows,
}: WorkflowsOption): LambdaHandler<QueueEvent, BatchResponse> {
  const { REEVE_QUEUES: queues } = readConfig(queueVariables);
  const { sqs, nudges } = nudgeChannel();
  const { store, ids } = functionStore();
  const submission = submissionRole({
    store,
    ids,
    registry: workflowRegistry(copyingWorkflows(workflows)),
    // Nudges of one batch share a request: its submissions are stored at about the same time.
    nudges: batchingChannel({ channel: nudges, clock: systemClock, waitMs: 5, batchMax: 10 }),
  });
  const hide = hideMessages(sqs);
  const park = parking(sqs, (arn) => deadLettersOf(queues, arn));

  const { publish, published } = publishedOnDemand();

  return loggedBatches('queue', async (event) => {
    const response = await deliverBatch(event, {
      codec: submissionCodec,
      receive: (messages, records) =>
        Promise.all(
          messages.map((message, at) =>
            submissionDelivery(submission, message, senderOf(records[at]), log),
          ),
        ),
      park,
      hide,
      random: systemRandom,
      log: metered(log, publish),
    });
    await published();
    return response;
  });
}
