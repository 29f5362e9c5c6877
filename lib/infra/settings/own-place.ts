/**
 * Parts of another region or account, which the functions could not use: they call the services of their own region, and name a table or a bus
 * without its account.
 */
import { type ResourceEnvironment, Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';

/** The properties that name parts in the region of the stack. */
type Parts = Pick<
  ReeveProps,
  'responseQueues' | 'eventBus' | 'alarmTopic' | 'encryptionKey' | 'tables'
>;

type Place = 'region' | 'account';

/** A part by its property, and of what it has to be that the stack is of. */
interface Part {
  readonly name: string;
  readonly env: ResourceEnvironment;
  readonly same: readonly Place[];
}

/**
 * Refuses parts that are known to be elsewhere than the construct. Where the region or the account of the stack is known at deployment
 * only, none is.
 *
 * @throws {ReeveError} `settings-invalid` naming the first one
 */
export function refuseElsewhere(scope: Construct, props: Parts): void {
  const { region, account } = Stack.of(scope);
  const own = { region, account };
  const { path } = scope.node;
  for (const { name, env, same } of partsOf(props)) {
    const place = same.find((one) => isOther(env[one], own[one]));
    if (place === undefined) continue;
    throw new ReeveError(
      'settings-invalid',
      `\`${name}\` of ${path} is in the ${place} ${env[place]}, and ${path} in ${own[place]}. Give one of the ${place} ${own[place]}.`,
    );
  }
}

const isOther = (given: string, own: string) =>
  !Token.isUnresolved(given) && !Token.isUnresolved(own) && given !== own;

function partsOf({ responseQueues, tables, ...others }: Parts): readonly Part[] {
  const { eventBus, alarmTopic, encryptionKey } = others;
  const part = (
    name: string,
    given: { readonly env: ResourceEnvironment } | undefined,
    ...same: readonly Place[]
  ): readonly Part[] => (given === undefined ? [] : [{ name, env: given.env, same }]);
  return [
    // Their addresses have the account.
    ...Object.entries(responseQueues ?? {}).flatMap(([name, queue]) =>
      part(`responseQueues.${name}`, queue, 'region'),
    ),
    ...Object.entries(tables ?? {}).flatMap(([name, table]) =>
      part(`tables.${name}`, table, 'region', 'account'),
    ),
    ...part('eventBus', eventBus, 'region', 'account'),
    // The CDK makes no rule for a topic of another account.
    ...part('alarmTopic', alarmTopic, 'region', 'account'),
    ...part('encryptionKey', encryptionKey, 'region'),
  ];
}
