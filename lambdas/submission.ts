/** Submission by queue, for producers in the account that prefer sending to calling. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { senderOf } from '#aws/caller.ts';
import { batchingChannel } from '#aws/queues/batching-channel.ts';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { parking } from '#aws/queues/parking.ts';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { deadLettersOf } from '#aws/queues/queue-names.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { submissionDelivery } from '#roles/submission-delivery.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { nudges, sqs } from './channels.ts';
import { queueVariables, readConfig } from './config.ts';
import { submissionOver } from './submission-role.ts';
import { log, logged } from './telemetry.ts';

/** Nudges of one batch share a request: its submissions are stored at about the same time. */
const batchedNudges = batchingChannel({
  channel: nudges,
  clock: systemClock,
  waitMs: 5,
  batchMax: 10,
});
const submission = submissionOver(batchedNudges);
const hide = hideMessages(sqs);
const { REEVE_QUEUES: queues } = readConfig(queueVariables);
const park = parking(sqs, (arn) => deadLettersOf(queues, arn));

export const handler = logged<SQSEvent, SQSBatchResponse>((event) =>
  deliverBatch(event, {
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
    log,
  }),
);
