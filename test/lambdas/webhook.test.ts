/** The function of a webhook, from its message to the receiver's check of the signature. */
import type { SQSEvent } from 'aws-lambda';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { type Change, changeOf, statusId } from '#core/model/change.ts';
import { answeringServer } from '../support/answering-server.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { newOrder } from '../support/orders.ts';
import { publishedMetrics } from '../support/published-metrics.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function changeFor(id: string): Change {
  const found = changeOf(null, newOrder(id, Date.UTC(2026, 0, 1), 'shop', 'po-7').record);
  if (found === null) throw new Error('a new order is a change');
  return found;
}

/** The body of a newer release, with a field that this one does not know. */
const bodyFor = (id: string) => statusCodec.encode({ ...changeFor(id), ...{ newer: 'kept' } });

function eventOf(ids: readonly string[]): SQSEvent {
  return {
    Records: ids.map((id) => {
      const sentAt = Date.now() - 3_600_000;
      const record = sqsRecord(`message-${id}`, bodyFor(id), undefined, { sentAt });
      return { ...record, attributes: { ...record.attributes, MessageGroupId: id } };
    }),
  };
}

test('each message is sent unchanged, signed with the secret; a message that the receiver rejects is returned, hidden, and its age published', async () => {
  const aws = await answeringServer((response, { headers }) => {
    const isSecret = headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
    response.end(isSecret ? JSON.stringify({ SecretString: secret }) : '{"Successful":[]}');
  });
  const receiver = await answeringServer((response, { body }) => {
    response.writeHead(body.includes('"refused"') ? 503 : 204).end();
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_WEBHOOK: 'shop',
    REEVE_WEBHOOK_URL: `${receiver.url}/hook`,
    REEVE_WEBHOOK_SECRET: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:shop-AbCdEf',
  });
  // Imported here, because a function reads its environment when it is loaded.
  const published = publishedMetrics();
  const { webhookHandler } = await import('../../lambdas/webhook.ts');
  const handler = webhookHandler();
  const answer = await handler(eventOf(['taken', 'refused']), lambdaContext());

  expect(published()).toEqual([{ UndeliveredAge: expect.any(Number) }]);
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-refused' }] });
  const delivered = receiver.received.map(({ method, url, headers, body }) => {
    const given = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const message = new Webhook(secret).verify(body, Object.fromEntries(given));
    return { method, url, id: headers['webhook-id'], message };
  });
  // Lambda freezes the function between invocations, and the receiver closes a connection meanwhile.
  expect(receiver.received.map(({ headers }) => headers['connection'])).toEqual(['close', 'close']);
  const post = { method: 'POST', url: '/hook' };
  expect(delivered).toHaveLength(2);
  expect(delivered).toContainEqual({
    ...post,
    // Of the order and the change, by which a receiver knows a message that comes twice, and no other one.
    id: statusId(changeFor('taken')),
    message: expect.objectContaining({ orderId: 'taken' }),
  });
  const bodies = receiver.received.map(({ body }) => body);
  expect(bodies.toSorted()).toEqual([bodyFor('refused'), bodyFor('taken')]);
  const asked = aws.received.map(({ headers }) => headers['x-amz-target']);
  expect(asked.toSorted()).toEqual([
    'AmazonSQS.ChangeMessageVisibilityBatch',
    'secretsmanager.GetSecretValue',
  ]);
});
