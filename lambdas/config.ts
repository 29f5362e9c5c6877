/** The environment of the functions, read here and nowhere else; lib/infra writes it. */
import * as z from 'zod';
import type { JwtRoles } from '#aws/caller.ts';
import { eventsChannel, webhookChannel } from '#aws/notifications/response-channel.ts';
import { refusedText } from '#core/codec/field-errors.ts';
import { ReeveError } from '#core/model/errors.ts';
import { priorities } from '#core/model/record.ts';

const name = z.string().min(1);
const url = z.url();
const count = z.coerce.number().int().positive();

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

export const queueVariables = {
  /** The address that all queues of the deployment begin with; lib/aws/queues/queue-names.ts has the rule. */
  REEVE_QUEUES: url,
};

/** For a function that nudges. */
export const readyVariables = {
  ...queueVariables,
  /** The priority classes that have queues of their own. */
  REEVE_PRIORITIES: list(z.enum(priorities)),
};

export const schedulerVariables = {
  /** The agents that are deployed. */
  REEVE_AGENTS: list(name),
};

export const agentVariables = {
  /** The agent's own reply queue. */
  REEVE_REPLY_QUEUE: url,
};

/** For an agent of the shipped workflow. */
export const serviceVariables = {
  /** Where the agent's remote service is. */
  REEVE_SERVICE_URL: url.transform((text) => text.replace(/\/+$/, '')),
};

/** Response channels by the name that `replyTo` gives: the URL of a queue, or what else the channel is. */
export const responseVariables = {
  REEVE_RESPONSE_CHANNELS: json(
    z.record(z.string(), z.union([z.literal([eventsChannel, webhookChannel]), url])),
  ),
};

/** For the function of a webhook. */
export const webhookVariables = {
  /** As `replyTo` gives it. */
  REEVE_WEBHOOK: name,
  REEVE_WEBHOOK_URL: url,
  /** The ARN of its secret. */
  REEVE_WEBHOOK_SECRET: name,
  /** Where the SDK's calls go, on a cloud that is not AWS's own. */
  AWS_ENDPOINT_URL: url.optional(),
};

/** Where people sign in to the console; without it there is no console. */
export const consoleVariables = {
  REEVE_CONSOLE: json(
    z.object({
      issuer: url,
      clientId: name,
      scope: name,
      tokenOrigin: url.nullable(),
    }),
  ).optional(),
};

const jwtRoles: z.ZodType<JwtRoles> = z.object({
  rolesClaim: name,
  roles: z.object({ viewer: name, submitter: name, operator: name }),
  tenantClaim: name.nullable(),
});

/** What the tokens of the OpenID provider say; without it callers sign for IAM. */
export const jwtVariables = { REEVE_JWT: json(jwtRoles).optional() };

/** Origins whose pages may call from a browser; without it no other site's may. */
export const corsVariables = { REEVE_CORS_ORIGINS: list(url).optional() };

export const alertVariables = { REEVE_EVENT_BUS: name, REEVE_DEPLOYMENT: name };

/** Set by Lambda. */
export const lambdaVariables = { AWS_LAMBDA_FUNCTION_NAME: name };

/**
 * The variables of `shape`.
 *
 * @throws {ReeveError} `config-invalid` naming every variable at fault; the function does not start
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
): Readonly<z.infer<z.ZodObject<Shape>>> {
  const parsed = z.object(shape).safeParse(process.env);
  if (parsed.success) return Object.freeze(parsed.data);
  const faults = refusedText(parsed.error, 'the environment');
  throw new ReeveError('config-invalid', `Invalid environment: ${faults}.`);
}
