/** The properties of the construct, and what it shows of its parts. */
import type { IDomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Role } from '#core/access/principal.ts';
import type { Priority } from '#core/model/record.ts';
import type { Network } from '#infra/deployment/deployment.ts';
import type { AnyEventBus, AnySecret } from '#infra/deployment/given.ts';
import type { Bundle } from '#infra/functions/bundles.ts';
import type { Release } from '#infra/functions/release.ts';
import type { AlarmThresholds } from '#infra/operations/alarm-thresholds.ts';
import type { ReeveTables } from './order-tables.ts';
import type { Stage } from './settings/stage.ts';

/** Authorisation by the tokens of an OpenID provider. */
export interface TokenProps {
  /** The `iss` of its tokens, an https address. API Gateway requests its keys at the deployment. */
  readonly issuer: string;
  /** The `aud` that its tokens must have: any one of these. */
  readonly audience: readonly string[];
  /** The claim with a bearer's scopes or groups. @default `scope` */
  readonly rolesClaim?: string | undefined;
  /** The value in that claim that grants each role. @default `reeve/view`, `reeve/submit` and `reeve/operate` */
  readonly roles?: Readonly<Record<Role, string>> | undefined;
  /** The claim that names a bearer's tenant. @default every bearer sees every tenant */
  readonly tenantClaim?: string | undefined;
}

/** Properties of {@link Reeve}. Those without an object of the CDK are the parameters of docs/reference.md. */
export interface ReeveProps extends Partial<Network> {
  /**
   * The module that exports `workflows`: every version of every workflow that still has live orders. Relative to the folder
   * in which the app runs.
   */
  readonly workflows: string;
  /**
   * The name of the deployment, in the names of queues, metrics, events and the dashboard: up to 128 letters, digits and
   * `-`. Unique in the account and region, and never changed: a queue with another name is another queue.
   * @default the name of the stack and the path of the construct in it, such as `shop-Orders`
   */
  readonly deployment?: string | undefined;
  /** `prod` keeps the tables when the stack is deleted, and protects them; `dev` deletes them. @default `prod` */
  readonly stage?: Stage | undefined;
  /** Existing tables, with the keys, indexes and stream of those that Reeve makes. @default new ones */
  readonly tables?: ReeveTables | undefined;
  /** Partitions of the due index, about 350 orders per second each; may be raised while orders run, and never lowered. @default 8 */
  readonly shards?: number | undefined;
  /** The period of the sweeps, 1 to 15 minutes: the longest delay of a recovery. @default 1 */
  readonly sweepMinutes?: number | undefined;
  /** `prompt` finds a silent agent within seconds, by a message for each order. @default `sweep`: the next sweep finds it */
  readonly recovery?: 'prompt' | 'sweep' | undefined;
  /**
   * Overdue orders that all sweeps together recover per second after an outage, at least one for each shard; otherwise twice as
   * many. @default 1,000
   */
  readonly recoveryPerSecond?: number | undefined;
  /** New orders per second that new tables accept from their first minute; never lowered. @default 466 */
  readonly warmOrdersPerSecond?: number | undefined;
  /** How long an order is kept after its end, 1 to 3,650 days. @default 30 */
  readonly keepDays?: number | undefined;
  /** Priority classes with queues of their own; the others use those of `normal`. @default `normal` alone */
  readonly priorities?: readonly Priority[] | undefined;
  /** Standard queues of submitters, in the region of the stack, by the name in `replyTo`. @default none */
  readonly responseQueues?: Readonly<Record<string, IQueue>> | undefined;
  /** Response channels that are events on the bus: the names in `replyTo`. @default none */
  readonly eventChannels?: readonly string[] | undefined;
  /** Response channels by HTTPS, by the name in `replyTo`; the secret signs the messages. @default none */
  readonly webhooks?:
    | Readonly<Record<string, { readonly url: string; readonly secret: AnySecret }>>
    | undefined;
  /** Whether orders can be submitted by a queue beside the API. @default false */
  readonly submissionQueue?: boolean | undefined;
  /**
   * Whether nothing acts: no sweep, no queue or stream that is read, and the API answers 429. For a second region that waits, and
   * while tables are restored: docs/aws.md, "When a region or a table is lost". @default false
   */
  readonly standby?: boolean | undefined;
  /** Requests per second, and burst size, above which the API answers 429. @default 1,000 and 2,000 */
  readonly throttle?: { readonly rate: number; readonly burst: number } | undefined;
  /** How long an accepted order may have to wait, seconds. @default 900 */
  readonly backlogMaxSeconds?: number | undefined;
  /**
   * How long the queues of the Scheduler gather the messages of a batch, 0 to 300 seconds: a cheaper order that takes longer. Each
   * `completeWithin` must be twice the window or more, and 40 s or more. @default 0: a message that comes alone is handled alone
   */
  readonly batchWindowSeconds?: number | undefined;
  /** The shares of tenants when orders wait, 0.01 to 100. @default 1 each */
  readonly tenantWeights?: Readonly<Record<string, number>> | undefined;
  /** Origins whose pages may call the API from a browser. @default none */
  readonly corsOrigins?: readonly string[] | undefined;
  /** The tokens that authorise callers. @default callers sign for IAM */
  readonly jwt?: TokenProps | undefined;
  /** The console at the address of the API; needs `jwt`. @default no console */
  readonly console?:
    | {
        /** A public client of the OpenID provider. */
        readonly clientId: string;
        /** The requested scopes. @default `openid` */
        readonly scope?: string | undefined;
        /** Origin of the token endpoint. @default the issuer's origin */
        readonly tokenOrigin?: string | undefined;
      }
    | undefined;
  /** The domain of the API, all of whose paths the API takes. @default the address that API Gateway gives */
  readonly domainName?: IDomainName | undefined;
  /** The bus for alerts and event channels, in the account and region of the stack. @default the default bus */
  readonly eventBus?: AnyEventBus | undefined;
  /**
   * The topic for alarms and alerts. Reeve adds what its policy needs; a topic of another app has to allow it itself.
   * @default a new one
   */
  readonly alarmTopic?: ITopic | undefined;
  /** Receives alarms and alerts by e-mail; not with `alarmTopic`, which has its own subscribers. @default none */
  readonly alarmEmail?: string | undefined;
  /** Thresholds of alarms. */
  readonly alarms?: AlarmThresholds | undefined;
  /**
   * A symmetric key of the stack's region for tables, queues, topic and logs. Reeve adds what its policy needs; a key of
   * another app has to have it: docs/aws.md, "Your own key". @default the services' own keys
   */
  readonly encryptionKey?: IKey | undefined;
  /** How long logs are kept: a number of days that CloudWatch Logs accepts. @default 30 */
  readonly logDays?: number | undefined;
  /** Concurrency reserved for these functions, which is also their limit. @default shared with the account */
  readonly reservedConcurrency?:
    | { readonly supervisor?: number | undefined; readonly notifier?: number | undefined }
    | undefined;
  /** Whether functions send traces to X-Ray, at up to half of the price of an order. @default false */
  readonly tracing?: boolean | undefined;
  /** How a new version of the functions takes over. @default at once, without an alias */
  readonly release?: Release | undefined;
  /** Makes the code of functions from the text of their entry modules. @default esbuild */
  readonly bundle?: Bundle | undefined;
}
