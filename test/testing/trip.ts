/** A workflow of six steps with agents of its own, and the mistakes that a test plants in them. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { type AgentImplementation, PermanentFault } from '#ports/agent-implementation.ts';
import { defineProof, type ProofOptions } from '#testing/prove/proof.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';

export type Mistake =
  | 'no tombstone'
  | 'key ignored'
  | 'forgotten branch'
  | 'short deadline'
  | 'clock in the output'
  | 'chance in the input'
  | 'missing undo'
  | 'late agent'
  | 'key of its own'
  | 'undo swallows';

const seconds = (count: number) => count * 1_000;

const rooms = z.strictObject({ nights: z.int(), spa: z.boolean() });
const booked = z.strictObject({ booking: z.string() });
const hotel = (undo: 'offered' | 'unneeded') =>
  defineAgent({ name: 'hotel', input: rooms, output: booked, undo });
const flight = defineAgent({
  name: 'flight',
  input: z.strictObject({ to: z.string(), seat: z.number() }),
  output: booked,
  undo: 'offered',
});
const visa = defineAgent({
  name: 'visa',
  input: z.strictObject({ to: z.string() }),
  output: z.strictObject({ isGranted: z.boolean() }),
  undo: 'unneeded',
});
const insurance = defineAgent({
  name: 'insurance',
  input: z.strictObject({ nights: z.int() }),
  output: booked,
  undo: 'offered',
});
const card = defineAgent({
  name: 'card',
  input: z.strictObject({ cents: z.int() }),
  output: z.strictObject({ charge: z.string(), at: z.number().optional() }),
  undo: 'offered',
});
const voucher = defineAgent({
  name: 'voucher',
  input: z.strictObject({ charge: z.string() }),
  output: booked,
});

const details = z.strictObject({ to: z.string(), nights: z.int().min(1), spa: z.boolean() });

const tripOf = (mistake: Mistake | null) =>
  defineWorkflow({ name: 'trip', version: 1, details })
    .step('check-visa', {
      agent: visa,
      input: ({ details: { to } }) => ({ to }),
      completeWithin: seconds(10),
    })
    .step('book-flight', {
      agent: flight,
      after: ['check-visa'],
      input: ({ details: { to } }) => ({
        to,
        seat: mistake === 'chance in the input' ? Math.round(Math.random() * 100) : 12,
      }),
      completeWithin: seconds(10),
    })
    .step('book-hotel', {
      agent: hotel(mistake === 'missing undo' ? 'unneeded' : 'offered'),
      input: ({ details: { nights, spa } }) => ({ nights, spa }),
      completeWithin: mistake === 'short deadline' ? seconds(4) : seconds(15),
    })
    .step('insure', {
      agent: insurance,
      after: ['check-visa'],
      input: ({ details: { nights } }) => ({ nights }),
      when: ({ details: { nights } }) => nights > 2,
      completeWithin: seconds(10),
    })
    .step('pay', {
      agent: card,
      after: ['book-flight', 'book-hotel', 'insure'],
      input: ({ details: { nights } }) => ({ cents: 10_000 * nights }),
      completeWithin: seconds(10),
      retries: 2,
    })
    .step('send', {
      agent: voucher,
      after: ['pay'],
      input: ({ outputs: { pay } }) => ({ charge: pay.charge }),
      completeWithin: seconds(10),
      irreversible: true,
    })
    .build();

/** The bank: charges and refunds by the key of its client. */
const bankOf = (mistake: Mistake | null) =>
  simulatedService('bank', ({ effects, refuses }) => {
    const refunded = new Set<string>();
    let charges = 0;
    return {
      charge(key: string, _cents: number): { id: string } {
        if (refunded.has(key)) throw new PermanentFault('refunded', 'It was refunded.', 'none');
        if (mistake === 'key ignored') {
          charges += 1;
          effects.add(`charge-${charges}-${key}`);
        } else if (!effects.has(key)) {
          if (refuses()) {
            refunded.add(key);
            throw new PermanentFault('declined', 'The card was declined.', 'none');
          }
          effects.add(key);
        }
        return { id: `charge of ${key}` };
      },
      refund(key: string): void {
        if (mistake !== 'no tombstone') refunded.add(key);
        effects.remove(key);
      },
    };
  });

/** The hotel: rooms, and the spa apart from them. */
const hotelService = simulatedService(
  'hotel',
  ({ effects }) => {
    const cancelled = new Set<string>();
    return {
      book(key: string): void {
        if (cancelled.has(key)) throw new PermanentFault('cancelled', 'It was cancelled.', 'none');
        if (!effects.has(key)) effects.add(key);
      },
      cancel(key: string): void {
        cancelled.add(key);
        effects.remove(key);
      },
    };
  },
  { takes: { least: seconds(1), most: seconds(5) } },
);

type Rooms = z.infer<typeof rooms>;
type Booked = z.infer<typeof booked>;

function hotelAgent(mistake: Mistake | null): AgentImplementation<Rooms, Booked> {
  const contract = hotel(mistake === 'missing undo' ? 'unneeded' : 'offered');
  return {
    contract,
    async perform({ spa }, call) {
      const { signal } = call;
      const key =
        mistake === 'key of its own'
          ? `${call.orderId}-${Math.round(Math.random() * 1e9)}`
          : call.idempotencyKey;
      const given = mistake === 'late agent' ? [] : [signal];
      await hotelService.book(key, ...given);
      if (spa) await hotelService.book(`${key}-spa`, ...given);
      return { booking: call.orderId };
    },
    ...(contract.undo === 'offered' && {
      async undo({ performKey }, { signal }) {
        await hotelService.cancel(performKey, signal);
        if (mistake !== 'forgotten branch') await hotelService.cancel(`${performKey}-spa`, signal);
      },
    }),
  };
}

function cardAgent(
  mistake: Mistake | null,
): AgentImplementation<z.infer<typeof card.input>, z.infer<typeof card.output>> {
  const bank = bankOf(mistake);
  return {
    contract: card,
    async perform({ cents }, { idempotencyKey, signal }) {
      const { id } = await bank.charge(idempotencyKey, cents, signal);
      const at = mistake === 'clock in the output' ? { at: Date.now() } : {};
      return { charge: id, ...at };
    },
    async undo({ performKey }, { signal }) {
      const refunded = bank.refund(performKey, signal);
      await (mistake === 'undo swallows' ? refunded.catch(() => {}) : refunded);
    },
  };
}

/** The proof of the workflow, with a mistake planted in it; null: without. */
export const tripProof = (mistake: Mistake | null): ProofOptions => ({
  workflows: [tripOf(mistake)],
  orders: (draw) => ({
    to: draw.pick(['Oslo', 'Rome']),
    nights: draw.between(1, 5),
    spa: draw.hits(0.5),
  }),
  agents: [
    soundAgent(visa, () => ({ isGranted: true })),
    soundAgent(flight, ({ to }) => ({ booking: to })),
    soundAgent(insurance, ({ nights }) => ({ booking: `${nights} nights` })),
    soundAgent(voucher, ({ charge }) => ({ booking: charge })),
    hotelAgent(mistake),
    cardAgent(mistake),
  ],
});

/** Of the sound workflow: `reeve prove ./test/testing/trip.ts --seeds 10000`. */
export const proof = defineProof(tripProof(null));
