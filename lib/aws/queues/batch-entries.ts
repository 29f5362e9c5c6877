/** The entries of one batch request to SQS: how many it takes, and what is done about those that fail. */
import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';

/** Entries of one batch request (SQS), and of one PutEvents (EventBridge). */
export const batchMax = 10;
/** Tries of entries that fail on the side of SQS. */
const triesMax = 3;

/**
 * Sends the entries of one batch, and those again that fail on the side of SQS. Returns the final error of each rejected one.
 *
 * @param send rejects when the outcome is not known for all; then nothing is sent again
 */
export async function sendEntries<Entry extends { readonly Id: string }>(
  entries: readonly Entry[],
  send: (entries: Entry[]) => Promise<{ readonly Failed?: BatchResultErrorEntry[] | undefined }>,
): Promise<readonly BatchResultErrorEntry[]> {
  const rejected: BatchResultErrorEntry[] = [];
  let left = [...entries];
  for (let tries = 1; left.length > 0; tries += 1) {
    const { Failed = [] } = await send(left);
    const again = new Set<string | undefined>();
    for (const failed of Failed) {
      if (failed.SenderFault || tries === triesMax) rejected.push(failed);
      else again.add(failed.Id);
    }
    left = left.filter(({ Id }) => again.has(Id));
  }
  return rejected;
}
