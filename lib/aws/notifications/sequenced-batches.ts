/**
 * Batches to one destination in turns: in each turn at most one parcel of each sequence, so that a parcel
 * that is refused is not overtaken by the next of its sequence.
 */
import { inBatches } from '#aws/queues/send-batch.ts';

export interface SequencedMessage {
  /** Its place among all that is to be sent. */
  readonly place: number;
  /** Parcels with the same name keep their order. */
  readonly sequenceOf: string;
  readonly body: string;
}

/**
 * Gives an error for each parcel that was not taken, by its place. After a parcel that failed, the rest of
 * its sequence is not tried; after a request that failed as a whole, nothing is tried in further turns.
 *
 * @param send gives an error for each parcel that was not taken, by its place in the batch
 */
export async function inTurns<One extends SequencedMessage>(
  messages: readonly One[],
  send: (batch: readonly One[]) => Promise<ReadonlyMap<number, Error>>,
): Promise<ReadonlyMap<number, unknown>> {
  const failed = new Map<number, unknown>();
  const halted = new Map<string, unknown>();
  const refusals: unknown[] = [];

  async function sendOne(batch: readonly One[]): Promise<void> {
    try {
      for (const [at, error] of await send(batch)) {
        const message = batch[at];
        if (message !== undefined) fail(message, error);
      }
    } catch (error) {
      refusals.push(error);
      for (const message of batch) fail(message, error);
    }
  }

  function fail({ place, sequenceOf }: One, error: unknown): void {
    failed.set(place, error);
    halted.set(sequenceOf, error);
  }

  for (const turn of turnsOf(messages)) {
    const open: One[] = [];
    for (const message of turn) {
      const { sequenceOf } = message;
      if (refusals.length > 0) fail(message, refusals[0]);
      else if (halted.has(sequenceOf)) fail(message, halted.get(sequenceOf));
      else open.push(message);
    }
    await Promise.all(inBatches(open, ({ body }) => Buffer.byteLength(body)).map(sendOne));
  }
  return failed;
}

/** The first of each sequence, then the second of each, and so on. */
function turnsOf<One extends SequencedMessage>(messages: readonly One[]): One[][] {
  const turns: One[][] = [];
  const count = new Map<string, number>();
  for (const message of messages) {
    const turn = count.get(message.sequenceOf) ?? 0;
    count.set(message.sequenceOf, turn + 1);
    const own = turns[turn];
    if (own === undefined) turns.push([message]);
    else own.push(message);
  }
  return turns;
}
