/** The properties of the construct: those that are parameters of the stack as well, and those that are objects of the CDK. */
import { Token } from 'aws-cdk-lib';
import * as z from 'zod';
import { refusedText } from '#core/codec/field-errors.ts';
import { httpsUrl } from '#core/codec/http-url.ts';
import { nameText } from '#core/codec/name-text.ts';
import { namedValues } from '#core/codec/named-values.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Bundle } from '#infra/functions/bundles.ts';
import type { ReeveProps } from '#infra/reeve-props.ts';
import { checkNetwork, given, networkShape, text, wholeOrLater } from './given-objects.ts';
import { mustBeStandard } from './setting-forms.ts';
import { checkRelations, common } from './settings.ts';
import { unknownNames } from './unknown-names.ts';

/** Provisioned concurrency of one function (Lambda quotas: it is a part of the concurrency of the account). */
const startedMax = 100_000;

const responseQueue = given.queue.refine(({ fifo }) => !fifo, { error: mustBeStandard });

const shape = {
  ...common.shape,
  ...networkShape,
  workflows: text,
  /** Its form is checked where the name is made. */
  deployment: text.optional(),
  // Not strict: it may be the `tables` of another Reeve, which has more.
  tables: z
    .object({ orders: given.table, processes: given.table, coordination: given.table })
    .refine((all) => new Set(Object.values(all).map(({ tableName }) => tableName)).size === 3, {
      error: 'must be three different tables',
    })
    .optional(),
  responseQueues: namedValues(nameText, responseQueue).default({}),
  webhooks: namedValues(nameText, z.strictObject({ url: httpsUrl, secret: given.secret })).default(
    {},
  ),
  domainName: given.domainName.optional(),
  eventBus: given.eventBus.optional(),
  alarmTopic: given.topic
    .refine(({ topicArn, fifo }) => fifo !== true && !topicArn.endsWith('.fifo'), {
      error: 'must be a standard topic: events of EventBridge cannot go to a FIFO topic',
    })
    .optional(),
  alarms: z
    .strictObject({
      oldMessage: given.duration.optional(),
      oldStatus: given.duration.optional(),
      ordersPastDue: z.number().min(1).optional(),
      held: given.duration.optional(),
    })
    .optional(),
  encryptionKey: given.key.optional(),
  tracing: z.boolean().optional(),
  release: z
    .strictObject({
      provisionedConcurrency: namedValues(z.string(), wholeOrLater(1, startedMax)).optional(),
      deploymentConfig: given.deploymentConfig.optional(),
    })
    .optional(),
  bundle: z
    .custom<Bundle>((value) => typeof value === 'function', { error: 'must be a function' })
    .optional(),
} satisfies Readonly<Record<keyof ReeveProps, z.ZodType>>;

const properties = z
  .object(shape)
  .superRefine(checkRelations)
  .superRefine(checkNetwork)
  .superRefine(checkStarted);

/** Lambda refuses to start more environments of a function than are reserved for it (Lambda API, PutProvisionedConcurrencyConfig). */
function checkStarted(
  { release, reservedConcurrency }: Pick<ReeveProps, 'release' | 'reservedConcurrency'>,
  context: z.core.$RefinementCtx,
): void {
  for (const [name, reserved] of Object.entries(reservedConcurrency ?? {})) {
    const started = release?.provisionedConcurrency?.[name] ?? 0;
    if (reserved === undefined || Token.isUnresolved(started) || started <= reserved) continue;
    const message = `must be ${reserved} or less, which is reserved for the function`;
    const path = ['release', 'provisionedConcurrency', name];
    context.addIssue({ code: 'custom', path, message });
  }
}

/** Parameters of the stack that are objects here. */
const meant = new Map([['kmsKey', 'encryptionKey']]);

/** The checked properties of the construct. */
export type DeploymentSettings = Readonly<z.infer<typeof properties>>;

/**
 * @param path of the construct, for the error
 * @throws {ReeveError} `settings-invalid` naming every invalid property
 */
export function readProperties(path: string, props: object = {}): DeploymentSettings {
  const unknown = unknownNames(Object.keys(props), Object.keys(shape), 'a property', meant);
  const parsed = properties.safeParse(props);
  if (parsed.success && unknown.length === 0) return parsed.data;
  const faults = [
    ...unknown,
    ...(parsed.success ? [] : [refusedText(parsed.error, 'the properties')]),
  ];
  throw new ReeveError('settings-invalid', `Invalid properties of ${path}: ${faults.join('; ')}.`);
}

const stackShape = z.looseObject({
  settings: z.looseObject({}, { error: 'must be what `readSettings(app.node)` returns' }),
  workflows: text,
  agents: z.array(z.looseObject({ name: text }), { error: 'must be a list' }),
});

/**
 * Returns the properties of the stack.
 *
 * @param id of the stack, for the error
 * @throws {ReeveError} `settings-invalid` naming every property that is missing or of a wrong kind
 */
export function checkedStack<Props extends object>(id: string, props: Props): Props {
  const given: Props | undefined = props;
  const { error } = stackShape.safeParse(given ?? {});
  if (error === undefined) return props;
  throw new ReeveError(
    'settings-invalid',
    `Invalid properties of the stack ${id}: ${refusedText(error, 'the properties')}.`,
  );
}
