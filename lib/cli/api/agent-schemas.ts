/** The agents in responses of the API, as far as the command line prints them. */
import { z } from 'zod';
import { instant, text } from './response-schemas.ts';

const changed = z.object({ by: text, at: instant }).nullable();
const count = z.int().nullable();

export const agentSchema = z.object({
  name: text,
  state: text,
  drained: changed,
  member: z.object({ pool: text, domain: text, weight: z.number(), changed }).nullable(),
  circuit: z.object({ state: text, since: instant.nullable() }),
  inFlight: count,
  room: count,
  waiting: count,
});

const amountFields = {
  rate: z.object({ count: z.number(), per: z.number(), burst: z.number() }).nullable(),
  atOnce: count,
};

export const limitSchema = z.object({
  name: text,
  byKey: z.boolean(),
  ...amountFields,
  defined: z.object(amountFields),
  changed,
});
export type LimitDocument = z.infer<typeof limitSchema>;

export const agentsSchema = z.object({
  limits: z.array(limitSchema),
  agents: z.array(agentSchema),
  pools: z.array(z.object({ name: text, heldBack: z.boolean(), waiting: count })),
});
