/**
 * Batches to one destination in rounds. A round has at most one message of each sequence, so that no message
 * overtakes a rejected one of its sequence.
 */
import { inBatches } from '#aws/queues/send-batch.ts';

export interface SequencedMessage {
  /** Its index among all messages to send. */
  readonly place: number;
  /** Messages with the same value keep their order. */
  readonly sequenceOf: string;
  readonly body: string;
}

/**
 * Returns an error for each message that was not accepted, by its index. After a rejected message the rest of
 * its sequence is not sent; after a failed request no further round is sent.
 *
 * @param send returns an error for each rejected message, by its index in the batch
 */
export async function sendInSequence<Entry extends SequencedMessage>(
  messages: readonly Entry[],
  send: (batch: readonly Entry[]) => Promise<ReadonlyMap<number, Error>>,
): Promise<ReadonlyMap<number, unknown>> {
  const failed = new Map<number, unknown>();
  const halted = new Map<string, unknown>();
  const failures: unknown[] = [];

  async function sendBatch(batch: readonly Entry[]): Promise<void> {
    try {
      for (const [at, error] of await send(batch)) {
        const message = batch[at];
        if (message !== undefined) fail(message, error);
      }
    } catch (error) {
      failures.push(error);
      for (const message of batch) fail(message, error);
    }
  }

  function fail({ place, sequenceOf }: Entry, error: unknown): void {
    failed.set(place, error);
    halted.set(sequenceOf, error);
  }

  for (const round of roundsOf(messages)) {
    const open: Entry[] = [];
    for (const message of round) {
      const { sequenceOf } = message;
      if (failures.length > 0) fail(message, failures[0]);
      else if (halted.has(sequenceOf)) fail(message, halted.get(sequenceOf));
      else open.push(message);
    }
    await Promise.all(inBatches(open, ({ body }) => Buffer.byteLength(body)).map(sendBatch));
  }
  return failed;
}

/** The first message of each sequence, then the second of each, and so on. */
function roundsOf<Entry extends SequencedMessage>(messages: readonly Entry[]): Entry[][] {
  const rounds: Entry[][] = [];
  const count = new Map<string, number>();
  for (const message of messages) {
    const round = count.get(message.sequenceOf) ?? 0;
    count.set(message.sequenceOf, round + 1);
    const own = rounds[round];
    if (own === undefined) rounds.push([message]);
    else own.push(message);
  }
  return rounds;
}
