/** The server's time, ticking while the page is visible. */
import { signal } from '@preact/signals';

const tickMs = 1_000;
/** The server sends its time to the second; a local clock within this difference counts as correct, ms. */
const agreementMs = 2_000;

let aheadMs = 0;

export const nowMs = () => Date.now() + aheadMs;
export const now = signal(nowMs());

export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** The `Date` header of a response. */
export function serverSaid(date: string | null): void {
  if (date === null) return;
  const difference = Date.parse(date) + 500 - Date.now();
  aheadMs = Math.abs(difference) < agreementMs ? 0 : difference;
}

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = nowMs();
}, tickMs);
