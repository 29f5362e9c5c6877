/** A message as Lambda passes it to a function. */
import type { SQSRecord } from 'aws-lambda';

export const sqsRecord = (
  messageId: string,
  body: string,
  eventSourceARN = 'arn:aws:sqs:us-east-1:123456789012:ready',
  { receives = 1, sentAt = 0 } = {},
): SQSRecord => ({
  messageId,
  body,
  eventSourceARN,
  receiptHandle: messageId,
  attributes: {
    ApproximateReceiveCount: String(receives),
    SentTimestamp: String(sentAt),
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  awsRegion: 'us-east-1',
});
