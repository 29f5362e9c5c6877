/** A stream outlives the question whether its reader may read: so that is asked again while it lasts. */
import type { Context } from 'hono';
import type { Follower } from '#http/routes/follower.ts';
import type { Clock } from '#ports/clock.ts';
import type { AccessEnv } from './access.ts';

/** How long somebody whose token was taken away can still read, ms. */
export const askAgainMs = 5_000;

/** Ends the stream when its reader is not let in any more, or not as the same. */
export function whileLet(context: Context<AccessEnv>, reader: Follower, clock: Clock): void {
  const isStillLet = context.get('isStillLet');
  const ask = async () => {
    if (!reader.isOpen()) return;
    if (await isStillLet()) clock.after(askAgainMs, () => void ask());
    else reader.end();
  };
  clock.after(askAgainMs, () => void ask());
}
