/** Formats alerts for the terminal and for mail. */
import { durationText } from './relative-time.ts';

/** The cause of an alert; instants in ms since the epoch. */
export interface AlertCause {
  readonly fault: {
    readonly code: string;
    readonly message: string;
    readonly step: string | null;
    readonly action: 'perform' | 'undo' | null;
  } | null;
  readonly tried: {
    readonly attempts: number;
    readonly coolDowns: number;
    readonly since: number;
  } | null;
  readonly at: number;
}

interface AlertedOrder {
  readonly orderId: string;
  /** The submitter's name for the order. */
  readonly correlationId: string | null;
}

/** The reason why the order stopped, and the attempts made: a sentence without a full stop. */
export function troubleText({ fault, tried, at }: AlertCause): string {
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

/** The order id and the correlation id. */
export function orderText({ orderId, correlationId }: AlertedOrder) {
  return correlationId === null ? `Order ${orderId}` : `Order ${orderId} (${correlationId})`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
