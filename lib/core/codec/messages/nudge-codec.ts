/** Nudges, which wake the Scheduler. */
import * as z from 'zod';
import { instant } from '#core/model/instant.ts';
import { delayedNudgeOf, type Nudge, nudgeOf } from '#core/model/message.ts';
import { messageCodec } from './message-codec.ts';
import { order, priority, tenant } from './message-fields.ts';

const nudgeSchema: z.ZodType<Nudge> = z
  .object({ orderId: order, priority, tenant: tenant.optional(), at: instant.optional() })
  .transform(({ tenant: of = null, at, ...nudge }) => {
    const nudged = { ...nudge, tenant: of };
    return at === undefined ? nudgeOf(nudged) : delayedNudgeOf(nudged, at);
  });

/** Scheduler queue. */
export const nudgeCodec = messageCodec('nudge', nudgeSchema);
