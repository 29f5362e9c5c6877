import { expect, test } from 'vitest';
import { consequencesLog } from '#runtime/node/consequences-log.ts';

test('what fails because the store refuses writes is of level info meanwhile; all else is as it was', () => {
  const lines: string[] = [];
  const note = (level: string) => (event: string) => void lines.push(`${level} ${event}`);
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  let refusal: string | null = null;
  const told = consequencesLog(log, () => refusal);
  const both = () => {
    told.error('request-failed', { route: '/orders', error: 'Error', reason: null });
    told.error('store-damaged', { file: 'a.db', table: null, row: null, reason: 'x' });
    told.warn('order-refused', { orderId: 'one', code: 'store-refused' });
  };
  both();
  refusal = 'store-full';
  both();
  expect(lines).toEqual([
    'error request-failed',
    'error store-damaged',
    'warn order-refused',
    'info request-failed',
    'error store-damaged',
    'warn order-refused',
  ]);
});
