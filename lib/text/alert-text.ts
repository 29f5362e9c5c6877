/** An alert in words: for the terminal, and for whoever is told by mail. */
import { durationText } from './relative-time.ts';

/** What is told of a stopped order; instants as ms. */
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
  /** As its submitter calls it. */
  readonly correlationId: string | null;
}

/** Why the order stopped, and what was tried: a sentence without its full stop. */
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

/** The order by its id, and as its submitter calls it. */
export function orderText({ orderId, correlationId }: AlertedOrder) {
  return correlationId === null ? `Order ${orderId}` : `Order ${orderId} (${correlationId})`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
