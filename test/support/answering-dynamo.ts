/** A state store and a coordination on a DynamoDB with answers that a test defines. */
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { type AwsCall, answeringAws } from './answering-aws.ts';
import { testDynamoClient } from './dynamo-server.ts';
import { testLog } from './log.ts';

const now = Date.UTC(2026, 0, 1);
const tables = { orders: 'Orders', processes: 'Processes' };
export const shards = 2;

/** Waits end at once, and are recorded. */
export async function answeringDynamo(answer: (call: AwsCall, number: number) => object) {
  const { calls, url } = await answeringAws(answer);
  const waited: number[] = [];
  const clock = {
    now: () => now,
    after(ms: number, work: () => void) {
      waited.push(ms);
      setImmediate(work);
      return () => {};
    },
  };
  const waits = { clock, random: { next: () => 0 } };
  const client = testDynamoClient(url);
  const kept = { shards, sweepPeriodMs: 60_000, keepEndedMs: 3_600_000 };
  const log = testLog();
  return {
    calls,
    waited,
    log,
    store: dynamoStore({ client, tables, log, ...kept, ...waits }),
    coordination: dynamoCoordination(client, 'Coordination', waits),
  };
}

export type AnsweringDynamo = Awaited<ReturnType<typeof answeringDynamo>>;
