/** Parts of another region, which the functions could not call: they call the services of their own region. */
import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';

/** The properties that name parts in the region of the stack. */
type Parts = Pick<
  ReeveProps,
  'responseQueues' | 'eventBus' | 'alarmTopic' | 'encryptionKey' | 'tables'
>;

/**
 * Refuses parts that are known to be in another region than the construct. Where the region of the stack is known at deployment
 * only, none is.
 *
 * @throws {ReeveError} `settings-invalid` naming the first one
 */
export function refuseOtherRegion(scope: Construct, props: Parts): void {
  const { region } = Stack.of(scope);
  if (Token.isUnresolved(region)) return;
  const { path } = scope.node;
  for (const [name, other] of regionsOf(props)) {
    if (Token.isUnresolved(other) || other === region) continue;
    throw new ReeveError(
      'settings-invalid',
      `\`${name}\` of ${path} is in the region ${other}, and ${path} in ${region}. Give one of the region ${region}.`,
    );
  }
}

/** The region of each part, by its property. */
function regionsOf({ responseQueues, tables, ...others }: Parts): readonly [string, string][] {
  const { eventBus, alarmTopic, encryptionKey } = others;
  const named = [
    ...Object.entries(responseQueues ?? {}).map(
      ([name, queue]) => [`responseQueues.${name}`, queue] as const,
    ),
    ...Object.entries(tables ?? {}).map(([name, table]) => [`tables.${name}`, table] as const),
    ...Object.entries({ eventBus, alarmTopic, encryptionKey }),
  ];
  return named.flatMap(([name, part]): [string, string][] =>
    part === undefined ? [] : [[name, part.env.region]],
  );
}
