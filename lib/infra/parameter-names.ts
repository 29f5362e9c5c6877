/** The names of parameters: the CDK ignores a context key that nobody reads, so a mistyped one would have no effect. */
import type { Node } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';
import { settingNames } from '#infra/settings/settings.ts';
import { nearestName } from '#text/nearest-name.ts';

/** Keys of the CDK itself have a prefix (`aws:`, `@aws-cdk/`, `availability-zones:`), but for these. */
const namesOfTheCdk: readonly string[] = ['cli-telemetry', 'acknowledged-issue-numbers'];

const isOfTheCdk = (name: string) => /[:@/]/.test(name) || namesOfTheCdk.includes(name);

/**
 * For an app whose context is Reeve's alone.
 *
 * @throws {ReeveError} `settings-invalid` naming every key that is neither a parameter nor one of the CDK
 */
export function refuseUnknownParameters(node: Node): void {
  const unknown = Object.keys(node.getAllContext()).filter(
    (name) => !settingNames.includes(name) && !isOfTheCdk(name),
  );
  if (unknown.length === 0) return;
  const faults = unknown.map((name) => {
    const near = nearestName(name, settingNames);
    return near === undefined
      ? `\`${name}\` is not a parameter`
      : `\`${name}\` is not a parameter (did you mean \`${near}\`?)`;
  });
  throw new ReeveError(
    'settings-invalid',
    `Invalid parameters: ${faults.join('; ')}. The parameters are ${settingNames.join(', ')}. See docs/aws.md.`,
  );
}
