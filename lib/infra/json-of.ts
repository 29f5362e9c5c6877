/** JSON of values that are known only when the stack is deployed. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Keys may be such values too: a queue's ARN is one. */
export function jsonOf(scope: Construct, value: Readonly<Record<string, unknown>>): string {
  return Stack.of(scope).toJsonString(value);
}
