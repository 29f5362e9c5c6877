/** What each parameter of the stack means: docs/reference.md is generated from this table. */
import type { Settings } from './settings.ts';

/** By the name of the parameter, in Markdown. */
export const parameterTexts: Readonly<Record<keyof Settings, string>> = {
  stage:
    '`prod`: tables are retained and protected from deletion. `dev`: everything is deleted with the stack. It is part of the name of the stack, `reeve-prod`',
  shards:
    'partitions of the due and listing indexes, 1 to 64, about 350 orders per second each. Raise it while orders run; never lower it: listings would leave out orders of the shards that are gone until their next write. See [scale.md](scale.md)',
  sweepMinutes: 'period of the Supervisor, 1 to 15 minutes, and so the delay of a recovery',
  recovery:
    '`prompt`: a silent agent is found a second or two after the deadline of its step, by a delayed message for each order; for the price see [aws.md](aws.md#prompt-recovery). `sweep`: the next sweep finds it',
  recoveryPerSecond:
    'overdue orders that are recovered per second after an outage, 1 to 20,000, over all shards together, so that services are not overloaded; when no outage was the cause, twice as many. At least `shards`',
  warmOrdersPerSecond:
    'new orders per second, 1 to 40,000, that new tables and their indexes accept from the first minute (DynamoDB, warm throughput), instead of 466 (667 without a reserve). Never lower it. It is paid once, and limited by the quotas of the account: see [scale.md](scale.md)',
  keepDays:
    'days for which a Processed or Undone order is kept, 1 to 3,650. One in Error is kept without a limit',
  priorities: 'priority classes with their own queues; other priorities share those of `normal`',
  services:
    'addresses of the services, by agent. A name that is not such an agent is refused, and in `prod` also a missing service. In `dev` a missing service is an address without a server',
  concurrency:
    'concurrent batches of ten calls, 2 to 1,000, by agent: what its service can handle, over all priority classes together. Each class has an equal share, the higher ones get the remainder, and each at least 2, the minimum of Lambda: so 6 or more for three classes. Without it Lambda scales the agent',
  responseQueues:
    'registered response queues, which are standard queues of the region of the stack: ARN by the name used in `replyTo`, which is up to 40 of a-z, 0-9 and "-", of which the first is one of a-z; if their policy requires it, allow the role of the notifier to send',
  eventChannels:
    'response channels that are events on the bus `eventBus`, detail type `Order status`: the names used in `replyTo`, of the same form',
  webhooks:
    'webhooks: `{"shop":{"url":"https://…","secretArn":"arn:aws:secretsmanager:…"}}`, by the name used in `replyTo`, of the same form; the ARN with the six characters that Secrets Manager puts at its end',
  submissionQueue: 'a queue of submissions beside the API',
  standby:
    '`true`: nothing acts: no sweep, no queue or stream that is read, and the API answers each request with 429. For a second region that waits ([aws.md](aws.md#a-warm-standby-in-a-second-region)), and while tables are [restored](aws.md#restore-the-tables-to-an-earlier-time)',
  throttle:
    '`{"rate":…,"burst":…}`: requests per second, and concurrent requests, above which the API answers 429; the limits of the account apply as well',
  backlogMaxSeconds:
    'the longest that an order may have to wait, seconds, 1 to 86,400, as far as can be known: the API refuses an order that would wait for longer with `Retry-After`; see [aws.md](aws.md#admission). The submission queue refuses none',
  batchWindowSeconds:
    'how long the ready and reply queues gather messages until a batch is full, seconds, 0 to 300: fewer invocations and requests where few orders come, for a longer wait; see [aws.md](aws.md#a-batch-window). With few messages Lambda may wait for 20 seconds, so each `completeWithin` must be twice that and twice the window or more. Slots of limits are then leased by the clocks of the functions',
  tenantWeights:
    '`{"inn":4}`: the shares of tenants when orders wait for an agent, 0.01 to 100; a tenant without one has 1. A deployment with other weights changes them also for what waits already; see [recipes.md](recipes.md#share-one-reeve-between-tenants)',
  corsOrigins:
    'origins whose pages may call the API from a browser, such as `["https://shop.example.com"]`: methods and headers of the API, no cookies; plain http only for `localhost`. The origin of the console needs no entry',
  logDays: 'how long logs are kept: a number of days that CloudWatch Logs accepts, 1 to 3,653',
  eventBus:
    'the bus for alerts and event channels, by its name: it must exist in the account and region of the stack',
  reservedConcurrency:
    '`{"supervisor":…,"notifier":…}`: concurrency kept for these functions, which is also their limit. The Supervisor needs one more than `shards`, and 10 more with `recovery` `prompt`, the notifier 11 or more: its retry queue may use 10, the rest reads the stream. It reduces what the other functions of the account share, and Lambda refuses a deployment that leaves them less than 100',
  kmsKey:
    'ARN of your own key, symmetric and of the region of the stack, for tables, queues, topic and logs: see [aws.md](aws.md#your-own-key) before the first deployment with it. Without it the services use their own keys',
  permissionsBoundary: 'ARN of the managed policy that bounds every role of the stack',
  tags: '`{"team":"orders"}`: on every resource that supports tags, at most 50',
  alarmEmail: 'recipient of alarms and of alerts for orders in Error',
  jwt: '`{"issuer":…,"audience":[…],"rolesClaim":…,"roles":…,"tenantClaim":…}`: tokens of an OpenID provider instead of IAM; for roles and tenants see [access.md](access.md#on-aws). The issuer as in the tokens, https, and reachable at the deployment: API Gateway requests its keys, and fails the deployment if it cannot. Without it callers sign for IAM',
  console:
    '`{"clientId":…,"scope":…,"tokenOrigin":…}`: the console at the address of the API, for users of the provider of `jwt`; `tokenOrigin` is an https origin, such as `https://shop.example.com`; see [aws.md](aws.md#the-console)',
};
