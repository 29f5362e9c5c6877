/**
 * The inputs and outputs of the four services. A service turns a checked input into a job: its answer, and the data of
 * its ledger entry. The ledger ensures that the job is done at most once.
 */
import * as z from 'zod';
import { explain } from './explain.ts';
import { fingerprint, idOf } from './request-digest.ts';

export const serviceNames = ['fraud', 'inventory', 'payment', 'shipping'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The work for one accepted request. */
export interface Job {
  readonly orderId: string;
  /** The money transferred, in cents; null when the service transfers none. */
  readonly amountCents: number | null;
  readonly output: Readonly<Record<string, string | number>>;
}

type Reading =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'refused'; readonly message: string };

interface Service {
  /** Whether the service offers `undo`: a fraud check changes nothing, and a shipped parcel cannot be recalled. */
  readonly undoable: boolean;
  /** Checks a request body, and derives the job from it and the key. */
  readonly read: (body: unknown, key: string) => Reading;
}

const text = z.string().min(1).max(256);
const orderId = z.string().min(1).max(128);
const cents = z.int().min(0);
const LINES_MAX = 1_000;
const SCORE_MAX = 100;

export const services: Readonly<Record<ServiceName, Service>> = {
  fraud: service({
    undoable: false,
    input: z.object({ orderId, customer: text, amountCents: cents, currency: text }),
    job: (input) => ({
      orderId: input.orderId,
      amountCents: null,
      output: { score: scoreOf(input), decision: 'approved' },
    }),
  }),
  inventory: service({
    undoable: true,
    input: z.object({
      orderId,
      lines: z
        .array(z.object({ sku: text, quantity: z.int().min(1) }))
        .min(1)
        .max(LINES_MAX),
    }),
    job: (input, key) => ({
      orderId: input.orderId,
      amountCents: null,
      output: { reservationId: idOf('res', 'inventory', key) },
    }),
  }),
  payment: service({
    undoable: true,
    input: z.object({ orderId, amountCents: cents, currency: text, token: text }),
    job: (input, key) => ({
      orderId: input.orderId,
      amountCents: input.amountCents,
      output: { chargeId: idOf('ch', 'payment', key), amountCents: input.amountCents },
    }),
  }),
  shipping: service({
    undoable: false,
    input: z.object({ orderId, reservationId: text, shipTo: z.record(z.string(), z.unknown()) }),
    job: (input, key) => ({
      orderId: input.orderId,
      amountCents: null,
      output: { trackingId: idOf('trk', 'shipping', key) },
    }),
  }),
};

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name);
}

/** Infers the type of the job's input from the schema, so that `services` needs no type argument. */
function service<Input>(definition: {
  readonly undoable: boolean;
  readonly input: z.ZodType<Input>;
  readonly job: (input: Input, key: string) => Job;
}): Service {
  return {
    undoable: definition.undoable,
    read: (body, key) => {
      const input = definition.input.safeParse(body);
      if (!input.success) return { kind: 'refused', message: explain(input.error) };
      return { kind: 'job', job: definition.job(input.data, key) };
    },
  };
}

/** A simulated score: the same input always has the same score. */
function scoreOf(input: unknown): number {
  const first32Bits = fingerprint(input).slice(0, 8);
  return Number.parseInt(first32Bits, 16) % (SCORE_MAX + 1);
}
