/** Settings that apply to every resource of a kind, in one place so that none is missed. */
import { Aspects } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { encryptWith } from './own-key.ts';

/** Applied when the template is made, to all that is below the construct then. */
export interface ResourceWide {
  /** How long logs are kept, days. */
  readonly logDays: number;
  /** @default the services' own keys */
  readonly encryptionKey?: IKey | undefined;
}

/** Applies the settings to all resources below the construct, also to those that are added later. */
export function applyToResources(scope: Construct, { logDays, encryptionKey }: ResourceWide): void {
  Aspects.of(scope).add({
    visit(visited) {
      // The construct is visited before what is below it: policies are complete, and not yet split where they are long.
      if (visited !== scope) return;
      for (const construct of scope.node.findAll()) {
        if (construct instanceof CfnLogGroup) construct.retentionInDays = logDays;
      }
      if (encryptionKey !== undefined) encryptWith(scope, encryptionKey);
    },
  });
}
