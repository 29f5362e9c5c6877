/** The settings of a deployment, from the CDK's context: `-c stage=dev`, or cdk.json. */

import type { Node } from 'constructs';
import * as z from 'zod';
import { shardsMax } from '#aws/store/tables.ts';
import { refusedText } from '#core/codec/field-errors.ts';
import { httpsOrigin, httpsUrl, httpUrl, issuer } from '#core/codec/http-url.ts';
import { nameText } from '#core/codec/name-text.ts';
import { namedValues } from '#core/codec/named-values.ts';
import { tenantWeightsForm } from '#core/codec/tenant-weights.ts';
import { wholeNumber } from '#core/codec/whole-number.ts';
import { ReeveError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import { priorities } from '#core/model/record.ts';
import { batchWindowMaxSeconds } from '#infra/queues/batch-window.ts';
import { checkConcurrency } from '#infra/queues/deadline-check-queue.ts';
import { redeliveryConcurrency } from '#infra/queues/redelivery-queue.ts';
import {
  boundaryArn,
  busName,
  distinct,
  json,
  keyArn,
  logRetention,
  origin,
  secretArn,
  standardQueueArn,
  tags,
  word,
} from './setting-forms.ts';
import { stages } from './stage.ts';

const { backlogMaxMinMs, backlogMaxMaxMs, recoveryRampPerSecond } = limits;
/** The highest value of the parameter `recoveryPerSecond`. */
export const recoveryPerSecondMax = 20_000;
/** The highest value of the parameter `warmOrdersPerSecond`. */
export const warmOrdersPerSecondMax = 40_000;

/** What the parameters of the stack and the properties of the construct have in common. */
export const common = z.strictObject({
  /** `prod` keeps data when the stack is deleted; `dev` deletes it. */
  stage: z.enum(stages).default('prod'),
  /** Partitions of the due index: some 350 orders per second each. May be raised while orders run. */
  shards: wholeNumber(1, shardsMax).default(8),
  /** The sweep period, minutes: the maximum delay of a recovery. */
  sweepMinutes: wholeNumber(1, 15).default(1),
  /** `prompt`: deadline checks find a silent agent within seconds; `sweep`: the next sweep finds it, at no cost. */
  recovery: z.enum(['prompt', 'sweep']).default('sweep'),
  /**
   * Overdue orders that all sweeps together recover per second after an outage; otherwise twice as many. At least one for each
   * shard.
   */
  recoveryPerSecond: wholeNumber(1, recoveryPerSecondMax).default(recoveryRampPerSecond),
  /** New orders per second that the tables accept from their first minute. */
  warmOrdersPerSecond: wholeNumber(1, warmOrdersPerSecondMax).optional(),
  /** How long an order is kept after its end, days. */
  keepDays: wholeNumber(1, 3_650).default(30),
  /** Priority classes with queues of their own; the others use those of `normal`. */
  priorities: json(
    distinct(z.array(z.enum(priorities)).nonempty()).refine(
      (all) => all.includes('normal'),
      'must contain normal',
    ),
  ).default(['normal']),
  /** Response channels that are events on the bus: the names in `replyTo`. */
  eventChannels: json(z.array(nameText)).default([]),
  /** Whether orders can be submitted by a queue beside the API. */
  submissionQueue: json(z.boolean()).default(false),
  /** Whether nothing of it acts by itself or takes requests: it waits for the loss of another region, or for its tables. */
  standby: json(z.boolean()).default(false),
  /**
   * Requests per second and burst size above which API Gateway answers 429; they bound the cost of a runaway
   * caller.
   */
  throttle: json(
    z.strictObject({
      rate: z.int().min(1).default(1_000),
      burst: z.int().min(1).default(2_000),
    }),
  ).default({ rate: 1_000, burst: 2_000 }),
  /** How long an accepted order may have to wait, seconds; an order that would wait for longer is refused. */
  backlogMaxSeconds: wholeNumber(backlogMaxMinMs / 1_000, backlogMaxMaxMs / 1_000).default(900),
  /** How long the queues of the Scheduler gather the messages of a batch, seconds. */
  batchWindowSeconds: wholeNumber(0, batchWindowMaxSeconds).default(0),
  /** The shares of tenants when orders wait; a tenant without one has 1. */
  tenantWeights: json(tenantWeightsForm).default(new Map()),
  /** Origins whose pages may call the API from a browser, with the header Authorization and no cookies. */
  corsOrigins: json(distinct(z.array(origin))).default([]),
  /** How long logs are kept, days. */
  logDays: logRetention.default(30),
  /**
   * Concurrency reserved for a function, which also limits it: for the Supervisor one per shard and one for
   * the tick, for the notifier more than its retry queue may use. It reduces what the other functions share.
   */
  reservedConcurrency: json(
    z.strictObject({
      supervisor: z.int().min(1).optional(),
      notifier: z
        .int()
        .min(redeliveryConcurrency + 1)
        .optional(),
    }),
  ).default({}),
  /** Receives alarms and alerts about orders in Error. */
  alarmEmail: z.email().optional(),
  /** The console at the API's address, for users of the OpenID provider of `jwt`. */
  console: json(
    z.strictObject({
      /** A public client, which has no secret; its redirect URI is the API's address. */
      clientId: z.string().min(1),
      /** The requested scope; some providers derive the audience from it. */
      scope: z.string().min(1).default('openid'),
      /** Origin of the token endpoint. @default the issuer's origin */
      tokenOrigin: httpsOrigin.optional(),
    }),
  ).optional(),
  /** Authorises by the tokens of an OpenID provider instead of IAM. */
  jwt: json(
    z.strictObject({
      issuer,
      // The quota of an authoriser: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
      audience: distinct(z.array(z.string().min(1)).nonempty().max(50)),
      /** The claim with a bearer's permissions: its scopes or groups. */
      rolesClaim: z.string().min(1).default('scope'),
      /** The value in that claim that grants each role. */
      roles: z
        .strictObject({ viewer: word, submitter: word, operator: word })
        .default({ viewer: 'reeve/view', submitter: 'reeve/submit', operator: 'reeve/operate' }),
      /** The claim that names a bearer's tenant; its value `*` grants every tenant. */
      tenantClaim: z.string().min(1).optional(),
    }),
  ).optional(),
});

/** The parameters of the stack: those that a property of the construct has as an object are texts here. */
const settings = z.strictObject({
  ...common.shape,
  /** Concurrent batches of ten calls, by agent, over all its priority classes. */
  concurrency: json(namedValues(z.string(), z.int().min(2).max(1_000))).default({}),
  /** The URLs of the agents' services, by agent. */
  services: json(namedValues(z.string(), httpUrl)).default({}),
  /** Registered response queues: ARNs by the name in `replyTo`. */
  responseQueues: json(namedValues(nameText, standardQueueArn)).default({}),
  /** Response channels by HTTP, by the name in `replyTo`. */
  webhooks: json(namedValues(nameText, z.strictObject({ url: httpsUrl, secretArn }))).default({}),
  /** The existing bus for alerts and event channels. */
  eventBus: busName.default('default'),
  /**
   * A symmetric key in the stack's region for tables, queues, topic and logs, instead of the services' own
   * keys. Its policy must allow these services to use it: docs/aws.md, "Your own key".
   */
  kmsKey: keyArn.optional(),
  /** The permissions boundary of every role of the stack. */
  permissionsBoundary: boundaryArn.optional(),
  /** Tags on every resource that supports them. */
  tags: json(tags).default({}),
});

/** The names of the settings. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** The value of each setting that is not given; undefined where it has none. */
export const settingDefaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(settings.shape).map(([name, schema]) => [name, schema.safeParse(undefined).data]),
);

interface Related
  extends Pick<
    z.infer<typeof common>,
    | 'console'
    | 'jwt'
    | 'reservedConcurrency'
    | 'recovery'
    | 'recoveryPerSecond'
    | 'shards'
    | 'eventChannels'
  > {
  readonly responseQueues: Readonly<Record<string, unknown>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
}

/** Rules between settings. Each name belongs to one channel, because a status message has one destination. */
export function checkRelations(given: Related, context: z.core.$RefinementCtx): void {
  const { responseQueues, eventChannels, webhooks } = given;
  if (given.console !== undefined && given.jwt === undefined) {
    const message = 'needs jwt: a browser cannot sign for IAM';
    context.addIssue({ code: 'custom', path: ['console'], message });
  }
  if (given.recoveryPerSecond < given.shards) {
    // Each shard recovers one order per second at least, so that each makes progress.
    const message = `must be ${given.shards} or more: one for each shard`;
    context.addIssue({ code: 'custom', path: ['recoveryPerSecond'], message });
  }
  const { supervisor } = given.reservedConcurrency;
  const checks = given.recovery === 'prompt' ? checkConcurrency : 0;
  if (supervisor !== undefined && supervisor <= given.shards + checks) {
    // Otherwise sweeps of shards block the tick, which counts as an outage, so that failures are not counted.
    const also = checks === 0 ? '' : `, and ${checks} for deadline checks`;
    const message = `must be ${given.shards + checks + 1} or more: one for each shard, and one for the tick${also}`;
    context.addIssue({ code: 'custom', path: ['reservedConcurrency', 'supervisor'], message });
  }
  const names = [...Object.keys(responseQueues), ...eventChannels, ...Object.keys(webhooks)];
  const [duplicate] = names.filter((name, at) => names.indexOf(name) !== at);
  if (duplicate === undefined) return;
  context.addIssue({
    code: 'custom',
    path: [duplicate],
    message: 'names more than one response channel',
  });
}

const schema = settings.superRefine(checkRelations);

/** The checked settings; docs/reference.md describes each. */
export type Settings = Readonly<z.infer<typeof schema>>;

/**
 * Reads the parameters of a stack, which `cdk deploy -c name=value` gives: docs/reference.md lists them.
 *
 * @throws {ReeveError} `settings-invalid` naming every invalid setting
 */
export function readSettings(node: Node): Settings {
  const given = settingNames.map((name) => [name, node.tryGetContext(name)]);
  const parsed = schema.safeParse(
    Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  );
  if (parsed.success) return parsed.data;
  const faults = refusedText(parsed.error, 'the parameters');
  throw new ReeveError('settings-invalid', `Invalid parameters: ${faults}. See docs/reference.md.`);
}
