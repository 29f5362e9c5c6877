/** The events on the bus match their published schemas. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alertDetail, alertDetailSchema } from '#aws/notifications/alert-detail.ts';
import { statusDetail, statusDetailSchema } from '#aws/notifications/status-detail.ts';
import { messageSchemas } from '#contracts/messages.ts';
import { alertOf } from '#ports/publisher.ts';
import { status } from '../support/messages.ts';

test.each(['alert', 'status-event'])('the event %s is described as is published', (name) => {
  const published: unknown = JSON.parse(readFileSync(`docs/contracts/${name}.schema.json`, 'utf8'));
  expect(JSON.parse(JSON.stringify(messageSchemas()[name]))).toEqual(published);
});

test('the events of every order match their description', () => {
  fc.assert(
    fc.property(status, (change) => {
      const alert = alertDetail(alertOf(change, 'npx reeve'), 'reeve-test');
      expect(alertDetailSchema.parse(alert)).toEqual(alert);
      const detail = statusDetail('shop', change, 'reeve-test');
      expect(statusDetailSchema.parse(detail)).toMatchObject({
        deployment: 'reeve-test',
        channel: 'shop',
        status: { orderId: change.orderId, processState: change.processState },
      });
    }),
    { numRuns: 30 },
  );
});
