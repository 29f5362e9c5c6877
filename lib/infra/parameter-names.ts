/**
 * Rejects unknown parameters: the CDK ignores unused context keys, so that a misspelt parameter would have no
 * effect.
 */
import type { Node } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';
import { settingNames } from '#infra/settings/settings.ts';
import { unknownNames } from '#infra/settings/unknown-names.ts';

/** Other keys of the CDK have a prefix (`aws:`, `@aws-cdk/`, `availability-zones:`). */
const namesOfTheCdk: readonly string[] = ['cli-telemetry', 'acknowledged-issue-numbers'];

const isOfTheCdk = (name: string) => /[:@/]/.test(name) || namesOfTheCdk.includes(name);

/**
 * For an app whose context belongs to Reeve only.
 *
 * @throws {ReeveError} `settings-invalid` naming every key that is neither a parameter nor a key of the CDK
 */
export function refuseUnknownParameters(node: Node): void {
  const given = Object.keys(node.getAllContext()).filter((name) => !isOfTheCdk(name));
  const faults = unknownNames(given, settingNames, 'a parameter');
  if (faults.length === 0) return;
  throw new ReeveError(
    'settings-invalid',
    `Invalid parameters: ${faults.join('; ')}. The parameters are ${settingNames.join(', ')}. See docs/reference.md.`,
  );
}
