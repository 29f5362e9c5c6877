/** The submission by queue: for producers in the account that would rather send than call. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { parking } from '#aws/parking.ts';
import { deliverBatch } from '#aws/queue-batch.ts';
import { submissionCodec } from '#core/message-codec.ts';
import { submissionDelivery } from '#roles/submission-delivery.ts';
import { sqs } from './channels.ts';
import { queueVariables, readConfig } from './config.ts';
import { submission } from './submission-role.ts';
import { log, logged } from './telemetry.ts';

const park = parking(sqs, readConfig(queueVariables).REEVE_DEAD_LETTERS);

export const handler = logged<SQSEvent, SQSBatchResponse>((event) =>
  deliverBatch(event, {
    codec: submissionCodec,
    receive: (messages) =>
      Promise.all(messages.map((message) => submissionDelivery(submission, message, log))),
    park,
    log,
  }),
);
