/** Settings that apply to every resource of a kind, in one place so that none is missed. */
import { type Stack, Tags } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { encryptWith } from './own-key.ts';
import type { Settings } from './settings.ts';

/** Must be called after the stack has all its resources. */
export function applyStackWide(stack: Stack, settings: Settings): void {
  for (const construct of stack.node.findAll()) {
    if (construct instanceof CfnLogGroup) construct.retentionInDays = settings.logDays;
  }
  const { kmsKey, permissionsBoundary, tags } = settings;
  if (kmsKey !== undefined) encryptWith(stack, kmsKey);
  if (permissionsBoundary !== undefined) {
    const boundary = ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', permissionsBoundary);
    PermissionsBoundary.of(stack).apply(boundary);
  }
  for (const [key, value] of Object.entries(tags)) Tags.of(stack).add(key, value);
}
