/** What operators see of limits, and how much they let them allow while orders run. */
import { type AgentLimit, checkAmount } from '#core/definition/agent-limit.ts';
import { type AgentSettings, amountNow, type Changed } from '#core/definition/agent-settings.ts';
import { limitsOf, type WorkflowRegistry } from '#core/definition/registry.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { limits as bounds } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { AgentSettingStore } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';

/** How much a limit allows. */
export type LimitAmountNow = Pick<AgentLimit, 'rate' | 'atOnce'>;

/** A limit. */
export interface LimitNow extends LimitAmountNow {
  /** Of its agent or pool, and of the limit: `payment/per-tenant`. */
  readonly name: string;
  /** Whether each value of its key has this amount; else all calls together have it. */
  readonly isByKey: boolean;
  /** As its definition says. */
  readonly defined: LimitAmountNow;
  /** Who changed it; null: it is as its definition says. */
  readonly changed: Changed | null;
}

/** What an operator asks for: these amounts, and the others as the limit is defined. Null: all as it is defined. */
export type LimitRequest = {
  readonly rate?: { readonly count: number; readonly per: number; readonly burst?: number };
  readonly atOnce?: number;
} | null;

/** The result of a request. */
export type LimitOutcome =
  | { readonly kind: 'done'; readonly limit: LimitNow }
  | { readonly kind: 'unknown-limit'; readonly known: readonly string[] }
  /** An amount is out of its range, or the limit has no such amount. */
  | { readonly kind: 'invalid'; readonly problem: string };

/** Each method rejects with the error of the store when it could not be read or written. */
export interface LimitControl {
  list(): Promise<readonly LimitNow[]>;
  /** @param by who requests it; stored and logged */
  change(limit: string, request: LimitRequest, by: string): Promise<LimitOutcome>;
}

/** The ports of {@link limitControl}. */
export interface LimitControlPorts {
  readonly registry: Pick<WorkflowRegistry, 'all'>;
  readonly settings: AgentSettingStore;
  /** Lets steps go on that wait under one of these names. Default: their gates learn of the change themselves. */
  readonly onMore?: (names: readonly string[]) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Makes the role. */
export function limitControl(ports: LimitControlPorts): LimitControl {
  const { registry, settings, clock, log } = ports;
  const byOwner = limitsOf(registry.all);
  const all = new Map(
    [...byOwner.values()]
      .flatMap(({ own, shared }) => [...shared, ...own])
      .map((limit) => [limit.name, limit] as const),
  );
  const ownersOf = (limit: string) =>
    [...byOwner].flatMap(([owner, { own, shared }]) =>
      [...own, ...shared].some(({ name }) => name === limit) ? [owner] : [],
    );

  return {
    async list() {
      const now = await settings.read();
      return [...all.values()].map((limit) => limitNow(limit, now));
    },
    async change(name, request, by) {
      const limit = all.get(name);
      if (limit === undefined) return { kind: 'unknown-limit', known: [...all.keys()] };
      const problem = request === null ? null : problemOf(limit, request);
      if (problem !== null) return { kind: 'invalid', problem };
      await settings.store(name, {
        kind: 'limit',
        value: settingOf(request, { by, at: clock.now() }),
      });
      log.info('limit-changed', { limit: name, by, isAsDefined: request === null });
      await ports.onMore?.(ownersOf(name));
      return { kind: 'done', limit: limitNow(limit, await settings.read()) };
    },
  };
}

function limitNow(limit: AgentLimit, settings: AgentSettings): LimitNow {
  const { name, key, rate, atOnce } = limit;
  const now = amountNow(limit, settings);
  const setting = settings.get(name)?.limit;
  return {
    ...{ name, isByKey: key !== null, rate: now.rate, atOnce: now.atOnce },
    defined: { rate, atOnce },
    changed: setting === undefined ? null : { by: setting.by, at: setting.at },
  };
}

function settingOf(request: LimitRequest, changed: Changed) {
  if (request === null) return null;
  const { rate, atOnce } = request;
  return {
    ...changed,
    ...(rate !== undefined && { rate: { burst: 1, ...rate } }),
    ...(atOnce !== undefined && { atOnce }),
  };
}

/** A sentence of what is wrong; null: nothing. */
function problemOf(
  { name, rate, atOnce }: AgentLimit,
  request: NonNullable<LimitRequest>,
): string | null {
  if (request.rate !== undefined && rate === null) return `limit ${name} has no rate.`;
  if (request.atOnce !== undefined) {
    if (atOnce === null) return `limit ${name} has no \`atOnce\`.`;
    const most = atOnce * bounds.limitRaiseMax;
    if (request.atOnce > most)
      return `limit ${name} is defined with \`atOnce\` ${atOnce}, so operators can set at most ${most}. For more, change its definition.`;
  }
  try {
    checkAmount(name, request);
    return null;
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
}
