/** The deployed Supervisor's sweep of all shards: what follows it does not depend on every shard. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { inTurn } from '#aws/in-turn.ts';
import { workflows } from '#workflows/shipped.ts';
import { answeringAws } from '../support/answering-aws.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { publishedMetrics } from '../support/published-metrics.ts';

const refused = { __type: 'ValidationException', message: 'Refused for the test.' };
const held = {
  OrderID: { S: 'held' },
  HeldFor: { S: 'payment#normal' },
  HeldTurn: { S: '-#01700000000000' },
};
const due = { OrderID: { S: 'due' }, DueShard: { N: '0' }, DueAt: { N: '1' } };
const queried = z.object({
  IndexName: z.string(),
  ExpressionAttributeValues: z.record(z.string(), z.object({ N: z.string() }).partial()),
});

/** Sweeps, where shard 0 has an order that is due, and shard 1 cannot be read. */
async function sweep() {
  const aws = await answeringAws(({ input }) => {
    const { data: query } = queried.safeParse(input);
    const shard = query?.ExpressionAttributeValues[':shard']?.N;
    if (query?.IndexName === 'Due' && shard === '1') return refused;
    if (query?.IndexName === 'Due' && shard === '0') return { Items: [due] };
    return query?.IndexName === 'Held' ? { Items: [held] } : {};
  });
  Object.assign(process.env, {
    ...functionEnvironment(aws.url),
    AWS_LAMBDA_FUNCTION_NAME: 'supervisor',
    REEVE_AGENTS: 'payment',
    REEVE_RECOVERY: 'sweep',
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { supervisorHandler } = await import('../../lambdas/supervisor.ts');
  const sweeping = supervisorHandler({ workflows })({}, lambdaContext());
  const outcome = await sweeping.then(
    () => 'swept',
    (error: unknown) => String(error),
  );
  return { outcome, calls: aws.calls };
}

const backlog = z.object({ Key: z.object({ Name: z.object({ S: z.literal('admission') }) }) });

test('a shard that cannot be swept prevents neither probes, nor the report of what waits, nor metrics', async () => {
  const published = publishedMetrics();
  const { outcome, calls } = await sweep();
  expect(outcome).toContain('DynamoDB call failed: ValidationException');
  expect(calls.some(({ operation }) => operation === 'SendMessageBatch')).toBe(true);
  const updates = calls.filter(({ operation }) => operation === 'UpdateItem');
  expect(updates.some(({ input }) => backlog.safeParse(input).success)).toBe(true);
  expect(published()).toEqual([{ OrdersPastDue: 1 }]);
});

test('work in turn is all done, and the first error is thrown', async () => {
  const done: number[] = [];
  const further: string[] = [];
  const part = (at: number, error?: string) => async () => {
    done.push(at);
    if (error !== undefined) throw new Error(error);
  };
  const parts = [part(1), part(2, 'first'), part(3), part(4, 'second'), part(5, 'third')];
  const work = inTurn(parts, (error) => further.push(String(error)));
  await expect(work).rejects.toThrow('first');
  expect(done).toEqual([1, 2, 3, 4, 5]);
  expect(further.toSorted()).toEqual(['Error: second', 'Error: third']);
});
