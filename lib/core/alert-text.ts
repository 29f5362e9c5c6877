/** An alert in words: for the terminal, and for whoever is told by mail. */
import type { Change } from './change.ts';

/** Why the order stopped, and what was tried: a sentence without its full stop. */
export function troubleText({ fault, tried, at }: Pick<Change, 'fault' | 'tried' | 'at'>): string {
  if (fault === null) return 'it stopped without a fault';
  const { step, action, code, message } = fault;
  const where = step === null ? '' : `${action === 'undo' ? 'undo of ' : ''}step ${step}: `;
  const what = `${where}${message.replace(/\.$/, '')} (${code})`;
  if (tried === null) return what;
  const { attempts, coolDowns, since } = tried;
  const coolDownText = coolDowns === 0 ? '' : ` and ${counted(coolDowns, 'cool-down')}`;
  const lengthText = at - since < 1_000 ? '' : `, failing for ${durationText(at - since)}`;
  return `${what}, after ${counted(attempts, 'attempt')}${coolDownText}${lengthText}`;
}

/** The order by its id, and as its submitter calls it. */
export function orderText({ orderId, correlationId }: Pick<Change, 'orderId' | 'correlationId'>) {
  return correlationId === null ? `Order ${orderId}` : `Order ${orderId} (${correlationId})`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** In the largest unit that still tells something: 90 s are "2 min". */
function durationText(ms: number): string {
  if (ms < 1.5 * minute) return `${Math.round(ms / 1_000)} s`;
  if (ms < 1.5 * hour) return `${Math.round(ms / minute)} min`;
  return ms < 1.5 * day ? `${Math.round(ms / hour)} h` : `${Math.round(ms / day)} days`;
}
