/** The environment of the functions. Only this file reads it; lib/infra writes it. */
import * as z from 'zod';
import type { JwtRoles } from '#aws/caller.ts';
import { eventsChannel, webhookChannel } from '#aws/notifications/response-channel.ts';
import { refusedText } from '#core/codec/field-errors.ts';
import { httpsOrigin, issuer } from '#core/codec/http-url.ts';
import { tenantWeightsText } from '#core/codec/tenant-weights.ts';
import { wholeNumber } from '#core/codec/whole-number.ts';
import { ReeveError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import { priorities } from '#core/model/record.ts';

const name = z.string().min(1);
const url = z.url();
/** What lib/infra writes is within the ranges of the settings; this refuses what is no number of them. */
const count = wholeNumber(1, 1_000_000);

/** A variable that holds JSON. */
const json = <Value>(schema: z.ZodType<Value>) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('must be JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

/** A variable that lists names. */
const list = <Name extends string>(schema: z.ZodType<Name, string>) =>
  z
    .string()
    .transform((text) => (text === '' ? [] : text.split(',')))
    .pipe(z.array(schema));

export const tableVariables = { REEVE_ORDERS_TABLE: name };

export const storeVariables = {
  ...tableVariables,
  REEVE_PROCESSES_TABLE: name,
  REEVE_SHARDS: count,
  REEVE_SWEEP_SECONDS: count,
  REEVE_KEEP_DAYS: count,
};

export const coordinationVariables = { REEVE_COORDINATION_TABLE: name };

/** For a function that shares among tenants. */
export const tenantVariables = {
  /** The weights of tenants; absent: each has 1. */
  REEVE_TENANT_WEIGHTS: tenantWeightsText.default(new Map()),
};

/** For the front door. */
export const admissionVariables = {
  /** The longest that an accepted order may have to wait, seconds. */
  REEVE_BACKLOG_MAX: count,
};

export const queueVariables = {
  /** The common prefix of all queue URLs of the deployment; see lib/aws/queues/queue-names.ts. */
  REEVE_QUEUES: url,
};

/** For a function that sends nudges. */
export const readyVariables = {
  ...queueVariables,
  /** The priority classes that have queues of their own. */
  REEVE_PRIORITIES: list(z.enum(priorities)),
};

export const recoveryVariables = {
  /** `prompt`: deadline checks are sent and handled. */
  REEVE_RECOVERY: z.enum(['prompt', 'sweep']),
};

/** For the Supervisor. */
export const sweepVariables = {
  /** Overdue orders that all sweeps together recover per second after an outage. */
  REEVE_RECOVERY_PER_SECOND: count.default(limits.recoveryRampPerSecond),
};

export const agentsVariables = {
  /** The deployed agents. */
  REEVE_AGENTS: list(name),
};

export const schedulerVariables = {
  ...agentsVariables,
  /** The agents that make a limited number of calls at once. */
  REEVE_LIMITED_AGENTS: list(name),
  /** How long Lambda gathers the messages of its batches, seconds. */
  REEVE_BATCH_WINDOW_SECONDS: wholeNumber(0, 300).default(0),
};

export const agentVariables = {
  /** The agent's own reply queue. */
  REEVE_REPLY_QUEUE: url,
};

/** For an agent of the shipped workflow. */
export const serviceVariables = {
  /** The URL of the agent's remote service. */
  REEVE_SERVICE_URL: url.transform((text) => text.replace(/\/+$/, '')),
};

/** Response channels by the name in `replyTo`: the URL of a queue, or the kind of channel. */
export const responseVariables = {
  REEVE_RESPONSE_CHANNELS: json(
    z.record(z.string(), z.union([z.literal([eventsChannel, webhookChannel]), url])),
  ),
};

/** For the function of a webhook. */
export const webhookVariables = {
  /** The channel's name in `replyTo`. */
  REEVE_WEBHOOK: name,
  REEVE_WEBHOOK_URL: url,
  /** The ARN of its secret. */
  REEVE_WEBHOOK_SECRET: name,
};

/** The console's OpenID provider; without it there is no console. */
export const consoleVariables = {
  REEVE_CONSOLE: json(
    z.object({
      issuer,
      clientId: name,
      scope: name,
      tokenOrigin: httpsOrigin.nullable(),
    }),
  ).optional(),
};

const jwtRoles: z.ZodType<JwtRoles> = z.object({
  rolesClaim: name,
  roles: z.object({ viewer: name, submitter: name, operator: name }),
  tenantClaim: name.nullable(),
});

/** How the OpenID provider's tokens express permissions; without it callers sign for IAM. */
export const jwtVariables = { REEVE_JWT: json(jwtRoles).optional() };

/** Origins whose pages may call from a browser; without it none. */
export const corsVariables = { REEVE_CORS_ORIGINS: list(url).optional() };

/** The name of the deployment, which is the dimension `service` of its metrics. */
export const metricVariables = { REEVE_DEPLOYMENT: name.optional() };

/** The level of the log, as Powertools knows it. */
export const logVariables = { POWERTOOLS_LOG_LEVEL: z.string().optional() };

export const alertVariables = {
  /** The name of the bus for alerts and event channels. */
  REEVE_EVENT_BUS: name,
  /** The name of the deployment in its events. */
  REEVE_DEPLOYMENT: name,
  /** How operators call the command line, in the remedies of alerts: `npx reeve --stack NAME`. */
  REEVE_COMMAND: name,
};

/** For a function that invokes itself. */
export const lambdaVariables = {
  /** Set by Lambda. */
  AWS_LAMBDA_FUNCTION_NAME: name,
  /** The alias by which the function is invoked; absent: none. */
  REEVE_ALIAS: name.optional(),
};

/**
 * Reads the variables of `shape`.
 *
 * @throws {ReeveError} `config-invalid` naming every invalid variable; the function does not start
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
): Readonly<z.infer<z.ZodObject<Shape>>> {
  // Read once: to compile the schema for later values, as zod does by itself, costs milliseconds of the start.
  const parsed = z.object(shape).safeParse(process.env, { jitless: true });
  if (parsed.success) return Object.freeze(parsed.data);
  const faults = refusedText(parsed.error, 'the environment');
  throw new ReeveError('config-invalid', `Invalid environment: ${faults}.`);
}
