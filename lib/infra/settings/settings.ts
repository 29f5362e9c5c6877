/** What can be set at deployment, from the CDK's context: `-c stage=dev`, or cdk.json. */
import type { Node } from 'constructs';
import * as z from 'zod';
import { shardsMax } from '#aws/store/tables.ts';
import { refusedText } from '#core/codec/field-errors.ts';
import { httpsUrl, httpUrl } from '#core/codec/http-url.ts';
import { wholeNumber } from '#core/codec/whole-number.ts';
import { ReeveError } from '#core/model/errors.ts';
import { priorities } from '#core/model/record.ts';
import { redeliveryConcurrency } from '#infra/queues/redelivery-queue.ts';
import {
  boundaryArn,
  busName,
  channelName,
  distinct,
  issuer,
  json,
  keyArn,
  logRetention,
  origin,
  queueArn,
  secretArn,
  tags,
  word,
} from './setting-forms.ts';
import { stages } from './stage.ts';

const settings = z.strictObject({
  /** `prod` keeps data when the stack goes; `dev` leaves nothing behind. */
  stage: z.enum(stages).default('prod'),
  /** Partitions of the due index: some 500 orders a second each. Only ever to be raised. */
  shards: wholeNumber(1, shardsMax).default(4),
  /** How often the Supervisor looks, minutes: how late a recovery may be. */
  sweepMinutes: wholeNumber(1, 15).default(1),
  /** How long an order is kept after its end. */
  keepDays: wholeNumber(1, 3_650).default(30),
  /** Priority classes with queues of their own; others share those of `normal`. */
  priorities: json(
    distinct(z.array(z.enum(priorities)).nonempty()).refine(
      (all) => all.includes('normal'),
      'must contain normal',
    ),
  ).default(['normal']),
  /** Batches of ten calls at once, by agent, over all its priority classes together. */
  concurrency: json(z.record(z.string(), z.int().min(2).max(1_000))).default({}),
  /** Where the agents' services are. */
  services: json(z.record(z.string(), httpUrl)).default({}),
  /** Registered response queues: ARNs by the name that `replyTo` gives. */
  responseQueues: json(z.record(channelName, queueArn)).default({}),
  /** Response channels that are events on the bus: the names that `replyTo` gives. */
  eventChannels: json(z.array(channelName)).default([]),
  /** Response channels that are told by HTTP, by the name that `replyTo` gives. */
  webhooks: json(z.record(channelName, z.strictObject({ url: httpsUrl, secretArn }))).default({}),
  /** Whether there is a queue of submissions beside the API. */
  submissionQueue: json(z.boolean()).default(false),
  /** Requests a second, and at once, before API Gateway answers 429: a runaway caller costs money. */
  throttle: json(
    z.strictObject({
      rate: z.int().min(1).default(1_000),
      burst: z.int().min(1).default(2_000),
    }),
  ).default({ rate: 1_000, burst: 2_000 }),
  /** Origins whose pages may call the API from a browser, with the header Authorization and no cookies. */
  corsOrigins: json(distinct(z.array(origin))).default([]),
  /** How long logs are kept, days. */
  logDays: logRetention.default(30),
  /** The bus that alerts and event channels are put on; it must exist. */
  eventBus: busName.default('default'),
  /**
   * Concurrency kept for a function, and its limit: of the Supervisor one for each shard and one for the tick,
   * of the notifier more than its retry queue alone may take. It comes off what all other functions share.
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
  /**
   * A symmetric key of the stack's region over tables, queues, topic and logs, instead of the services' own. Its policy
   * must let these services use it: docs/aws.md, "Your own key".
   */
  kmsKey: keyArn.optional(),
  /** The managed policy that bounds every role of the stack. */
  permissionsBoundary: boundaryArn.optional(),
  /** On every resource that takes tags. */
  tags: json(tags).default({}),
  /** Who is told of alarms and of orders in Error. */
  alarmEmail: z.email().optional(),
  /** The console at the API's own address, for people who sign in at the provider of `jwt`. */
  console: json(
    z.strictObject({
      /** Of a public client, which has no secret, with the API's address as where to return to. */
      clientId: z.string().min(1),
      /** What is asked for; some providers name the audience by it. */
      scope: z.string().min(1).default('openid'),
      /** Where tokens are given, if not at the issuer's own origin. */
      tokenOrigin: httpsUrl.optional(),
    }),
  ).optional(),
  /** Authorise by the tokens of an OpenID provider instead of IAM. */
  jwt: json(
    z.strictObject({
      issuer,
      audience: distinct(z.array(z.string().min(1)).nonempty()),
      /** The claim that says what a bearer may do: its scopes, or its groups. */
      rolesClaim: z.string().min(1).default('scope'),
      /** What stands in that claim for each role. */
      roles: z
        .strictObject({ viewer: word, submitter: word, operator: word })
        .default({ viewer: 'reeve/view', submitter: 'reeve/submit', operator: 'reeve/operate' }),
      /** The claim that names the one tenant of a bearer; `*` in it: every tenant. */
      tenantClaim: z.string().min(1).optional(),
    }),
  ).optional(),
});

/** What each setting is called. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** What settings say of each other. A name is of one channel: a status message goes to one place. */
const schema = settings.superRefine((given, context) => {
  const { responseQueues, eventChannels, webhooks } = given;
  if (given.console !== undefined && given.jwt === undefined) {
    const message = 'needs jwt: a browser cannot sign for IAM';
    context.addIssue({ code: 'custom', path: ['console'], message });
  }
  const { supervisor } = given.reservedConcurrency;
  if (supervisor !== undefined && supervisor <= given.shards) {
    // Else sweeps of shards keep the tick out, which is taken for an outage and forgives what failed.
    const message = `must be ${given.shards + 1} or more: one for each shard, and one for the tick`;
    context.addIssue({ code: 'custom', path: ['reservedConcurrency', 'supervisor'], message });
  }
  const names = [...Object.keys(responseQueues), ...eventChannels, ...Object.keys(webhooks)];
  const [twice] = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  context.addIssue({
    code: 'custom',
    path: [twice],
    message: 'names more than one response channel',
  });
});

export type Settings = Readonly<z.infer<typeof schema>>;

/** @throws {ReeveError} `settings-invalid` naming every setting at fault */
export function readSettings(node: Node): Settings {
  const given = settingNames.map((name) => [name, node.tryGetContext(name)]);
  const parsed = schema.safeParse(
    Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  );
  if (parsed.success) return parsed.data;
  const faults = refusedText(parsed.error, 'the parameters');
  throw new ReeveError('settings-invalid', `Invalid parameters: ${faults}. See docs/aws.md.`);
}
