/** A write with a condition. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';

/**
 * Null when the condition failed.
 *
 * @throws {UnavailableError} on any other AWS error
 */
export async function ifCondition<Answer>(call: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw unavailable('DynamoDB', error);
  }
}
