/** Checks the credentials of an event stream again while the stream is open. */
import type { Context } from 'hono';
import type { Follower } from '#http/routes/follower.ts';
import type { Clock } from '#ports/clock.ts';
import type { AccessEnv } from './access.ts';

/** The period of the check, ms: how long a reader with a revoked token can still read. */
export const recheckMs = 5_000;

/** Ends the stream when the credentials no longer identify the same principal, or cannot be checked. */
export function whileAllowed(context: Context<AccessEnv>, reader: Follower, clock: Clock): void {
  const isStillAllowed = context.get('isStillAllowed');
  const later = () => clock.after(recheckMs, () => void ask());
  const ask = async () => {
    // A check that fails is reported where the reader opens its next stream.
    const isAllowed = await isStillAllowed().catch(() => false);
    if (!isAllowed) reader.end();
    else if (reader.isOpen()) cancel = later();
  };
  let cancel = later();
  // A timer would keep the process after its server was closed.
  reader.whenGone(() => cancel());
}
