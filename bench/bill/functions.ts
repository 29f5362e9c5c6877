/** The bundled functions of a deployment, in this process, with the variables that they have when deployed. */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { queueNames } from '#aws/queues/queue-names.ts';
import { bundle } from '#infra/functions/bundles.ts';
import { agentSource, roleSource } from '#infra/functions/function-code.ts';
import { deployedDefaults } from './deployed-defaults.ts';
import type { Meter } from './meter.ts';
import type { FunctionKind } from './prices.ts';

export type Handler = (event: unknown, context: unknown) => Promise<unknown>;

/** What functions are loaded for. */
export interface Loading {
  readonly meter: Meter;
  readonly tables: {
    readonly orders: string;
    readonly processes: string;
    readonly coordination: string;
  };
  /** As the parameter of the stack. */
  readonly recovery: 'prompt' | 'sweep';
  /** The module of the workflows. */
  readonly workflows: string;
  /** The module of the handler of the agent of the last step. */
  readonly lastAgent: string;
}

export interface Functions {
  readonly frontDoor: Handler;
  readonly notifier: Handler;
  /** By the queue that they consume. */
  readonly byQueue: ReadonlyMap<string, { readonly kind: FunctionKind; readonly handle: Handler }>;
  /** What consumes the deadline checks. */
  readonly checks: { readonly name: string; readonly kind: FunctionKind; readonly handle: Handler };
}

const roles = ['front-door', 'scheduler', 'supervisor', 'notifier'] as const;
const prefix = 'bill';
export const queue = (name: string) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
export const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

/** The agents of the three steps, in their sequence. */
const agents = ['reserve', 'charge', 'ship'];

/** Bundles and loads them. */
export async function load(loading: Loading): Promise<Functions> {
  const { meter, tables, recovery, workflows, lastAgent } = loading;
  const folderOf = bundle(
    {
      ...Object.fromEntries(roles.map((role) => [role, roleSource(role, workflows)])),
      ...Object.fromEntries(
        agents.map((name) => [
          name,
          agentSource({ handler: name === 'ship' ? lastAgent : `bench/bill/agent-${name}.ts` }),
        ]),
      ),
    },
    join(mkdtempSync(join(tmpdir(), 'reeve-bill-')), 'bundles'),
  );
  const environment: Record<string, string> = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: meter.dynamoUrl,
    AWS_ENDPOINT_URL_SQS: meter.queueUrl,
    AWS_ENDPOINT_URL_EVENTBRIDGE: meter.eventsUrl,
    AWS_LAMBDA_FUNCTION_NAME: 'bill',
    POWERTOOLS_LOG_LEVEL: 'WARN',
    POWERTOOLS_SERVICE_NAME: 'reeve-prod',
    REEVE_ORDERS_TABLE: tables.orders,
    REEVE_PROCESSES_TABLE: tables.processes,
    REEVE_COORDINATION_TABLE: tables.coordination,
    REEVE_SHARDS: String(deployedDefaults.shards),
    REEVE_SWEEP_SECONDS: String(60 * deployedDefaults.sweepMinutes),
    REEVE_KEEP_DAYS: String(deployedDefaults.keepDays),
    REEVE_BACKLOG_MAX: '600',
    REEVE_QUEUES: queue(prefix),
    REEVE_PRIORITIES: 'normal',
    REEVE_AGENTS: agents.join(','),
    REEVE_LIMITED_AGENTS: '',
    REEVE_RECOVERY: recovery,
    REEVE_RESPONSE_CHANNELS: '{}',
    REEVE_EVENT_BUS: 'default',
    REEVE_DEPLOYMENT: 'bill',
    REEVE_COMMAND: 'npx reeve --stack bill',
  };
  Object.assign(process.env, environment);
  const copies = mkdtempSync(join(tmpdir(), 'reeve-bill-run-'));
  const handlerOf = async (name: string): Promise<Handler> => {
    process.env['REEVE_REPLY_QUEUE'] = queue(queueNames.reply(prefix, name));
    // Modules read their environment once, when they are loaded: each run loads files of its own.
    const copy = join(copies, name);
    cpSync(folderOf(name), copy, { recursive: true });
    const { handler } = await import(pathToFileURL(join(copy, 'index.mjs')).href);
    return handler;
  };
  const scheduler = { kind: 'scheduler', handle: await handlerOf('scheduler') } as const;
  const byQueue = new Map<string, { kind: FunctionKind; handle: Handler }>();
  byQueue.set(queueNames.ready(prefix, 'normal'), scheduler);
  // The checks come when the orders have ended: after the waves, as after their deadlines.
  const supervisor = { kind: 'supervisor', handle: await handlerOf('supervisor') } as const;
  const checks = { name: queueNames.check(prefix), ...supervisor };
  for (const name of agents) {
    const agent = { kind: 'agent', handle: await handlerOf(name) } as const;
    byQueue.set(queueNames.request(prefix, name, 'normal'), agent);
    byQueue.set(queueNames.reply(prefix, name), scheduler);
  }
  return {
    frontDoor: await handlerOf('front-door'),
    notifier: await handlerOf('notifier'),
    byQueue,
    checks,
  };
}
