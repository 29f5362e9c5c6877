import { expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
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

test.each([
  'delivery-failed',
  'message-failed',
  'recovery-delayed',
  'recovery-failed',
  'request-failed',
  'retention-failed',
  'sweep-failed',
] as const)('%s is repeated until the store accepts writes, and is then no error', (event) => {
  const levels: string[] = [];
  const note = (level: string) => () => void levels.push(level);
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const of = { channel: null, orders: 1, orderId: 'one', route: '/orders' };
  const failed = { ...of, error: 'Error', reason: null };
  consequencesLog(log, () => 'store-full').error(event, failed);
  consequencesLog(log, () => null).error(event, failed);
  expect(levels).toEqual(['info', 'error']);
});

test('the log may be an object of a class', () => {
  class Lines implements Log {
    readonly #lines: string[] = [];
    info(event: string) {
      this.#lines.push(`info ${event}`);
    }
    warn(event: string) {
      this.#lines.push(`warn ${event}`);
    }
    error(event: string) {
      this.#lines.push(`error ${event}`);
    }
    get all() {
      return this.#lines;
    }
  }
  const log = new Lines();
  const filtered = consequencesLog(log, () => 'store-full');
  filtered.info('started', { alive: 0 });
  filtered.warn('order-refused', { orderId: 'one', code: 'store-refused' });
  filtered.error('request-failed', { route: '/orders', error: 'Error', reason: null });
  filtered.error('store-damaged', { file: 'a.db', table: null, row: null, reason: 'x' });
  expect(log.all).toEqual([
    'info started',
    'warn order-refused',
    'info request-failed',
    'error store-damaged',
  ]);
});
