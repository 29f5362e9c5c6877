import { expect, test } from 'vitest';
import { consequencesLog } from '#runtime/node/consequences-log.ts';

test('while the store refuses writes, the errors that follow from it have level info, and all others keep theirs', () => {
  const lines: string[] = [];
  const note = (level: string) => (event: string) => void lines.push(`${level} ${event}`);
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  let refusal: string | null = null;
  const filtered = consequencesLog(log, () => refusal);
  const both = () => {
    filtered.error('request-failed', { route: '/orders', error: 'Error', reason: null });
    filtered.error('store-damaged', { file: 'a.db', table: null, row: null, reason: 'x' });
    filtered.warn('order-refused', { orderId: 'one', code: 'store-refused' });
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
