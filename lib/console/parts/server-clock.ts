/** The time, for what is shown: ticking while somebody looks, and by the server's clock. */
import { signal } from '@preact/signals';

const tickMs = 1_000;
/** The server tells its time to the second; a viewer's clock within this is taken to be right, ms. */
const agreementMs = 2_000;

let aheadMs = 0;

export const nowMs = () => Date.now() + aheadMs;
export const now = signal(nowMs());

export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** The `Date` of an answer. */
export function serverSaid(date: string | null): void {
  if (date === null) return;
  const difference = Date.parse(date) + 500 - Date.now();
  aheadMs = Math.abs(difference) < agreementMs ? 0 : difference;
}

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = nowMs();
}, tickMs);
