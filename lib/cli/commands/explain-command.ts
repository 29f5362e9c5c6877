/** `reeve limits explain`: what an order waits for, and how many orders have waited for the same for longer. */
import { agentsSchema, type LimitDocument } from '#cli/api/agent-schemas.ts';
import { everyOrder } from '#cli/api/every-order.ts';
import { orderCall } from '#cli/api/follow.ts';
import type { ListedDocument, OrderDocument, StepDocument } from '#cli/api/response-schemas.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { limitLines } from '#cli/output/limit-text.ts';
import { notBeforeText } from '#cli/output/order-text.ts';
import { stateText } from '#cli/output/state-text.ts';
import { isTurn, longestWaits } from '#text/gate-text.ts';
import { relativeTime } from '#text/relative-time.ts';

type Hold = NonNullable<StepDocument['held']>;

/** Orders that have waited for the same agent for longer. Classes and tenants have their shares, so that not all of them come first. */
interface Ahead {
  readonly orders: number;
  readonly samePriority: number;
  /** Null: the order has no tenant. */
  readonly sameTenant: number | null;
}

/** A held step. */
interface Wait {
  readonly step: string;
  /** The agent, or the pool of which any member may be next. */
  readonly agent: string;
  readonly gate: string;
  readonly since: number;
  /** The limits that count its calls, if it waits for one of them. */
  readonly limits: readonly LimitDocument[];
  /** Null: it waits for earlier orders of its singleton key. */
  readonly ahead: Ahead | null;
}

export async function explainWait(context: Context, orderId: string): Promise<ExitCode> {
  const { environment, json } = context;
  const { value: order } = await context.reeve(orderCall(orderId));
  const waits = await waitsOf(context, order);
  if (json) printJson(environment, { orderId: order.orderId, waits: waits.map(waitDocument) });
  else printLines(environment, explanation(context, order, waits));
  return exitCodes.done;
}

async function waitsOf(context: Context, order: OrderDocument): Promise<readonly Wait[]> {
  const limitsOf = await limitsByAgent(context, order);
  const waits: Wait[] = [];
  for (const [step, { agent, held }] of heldSteps(order)) {
    const ahead = isTurn(held.gate) ? null : await aheadOf(context, order, agent, held);
    const limits = held.gate === 'limit' ? limitsOf(agent) : [];
    waits.push({ step, agent, ...held, limits, ahead });
  }
  return waits;
}

const heldSteps = ({ steps }: OrderDocument) =>
  Object.entries(steps).flatMap(([name, { agent, held }]) =>
    held === null ? [] : [[name, { agent, held }] as const],
  );

/** Those of an agent are its own and the ones of its pool. */
async function limitsByAgent(
  { reeve }: Context,
  order: OrderDocument,
): Promise<(agent: string) => readonly LimitDocument[]> {
  const isLimited = heldSteps(order).some(([, { held }]) => held.gate === 'limit');
  if (!isLimited) return () => [];
  const { value } = await reeve({ method: 'GET', path: '/agents', answer: agentsSchema });
  const poolOf = new Map(value.agents.map(({ name, member }) => [name, member?.pool]));
  return (agent) =>
    value.limits.filter(({ name }) =>
      [agent, poolOf.get(agent)].some((owner) => name.startsWith(`${owner}/`)),
    );
}

async function aheadOf(
  context: Context,
  { orderId, tenant, priority }: OrderDocument,
  agent: string,
  { since }: Hold,
): Promise<Ahead> {
  const filter = { agent, held: true } as const;
  const isAhead = (other: ListedDocument) =>
    other.orderId !== orderId &&
    other.held.some((hold) => hold.agent === agent && hold.since < since);
  const ahead = (await everyOrder(context, filter)).filter(isAhead);
  const ofTenant = tenant === null ? null : await everyOrder(context, { ...filter, tenant });
  return {
    orders: ahead.length,
    samePriority: ahead.filter((other) => other.priority === priority).length,
    sameTenant: ofTenant === null ? null : ofTenant.filter(isAhead).length,
  };
}

const waitDocument = ({ since, limits, ...wait }: Wait) => ({
  ...wait,
  since: new Date(since).toISOString(),
  limits: limits.map(({ name }) => name),
});

function explanation(
  { environment, paint }: Context,
  order: OrderDocument,
  waits: readonly Wait[],
): string[] {
  const nowMs = environment.now();
  const state = stateText(order.processState, paint);
  const behind = order.turn?.behind ?? null;
  const of = `Order ${paint('bold', order.orderId)}  ${state}`;
  if (waits.length === 0) {
    const isLater = order.processState === 'Pending' && order.notBefore > nowMs;
    return [
      of,
      '  No step of it waits for a limit, an agent or an order.',
      ...(isLater ? [`  It continues ${notBeforeText(order, nowMs)}.`] : []),
    ];
  }
  return [
    of,
    ...waits.flatMap(({ step, limits, ahead }) => {
      const held = order.steps[step];
      const own = held === undefined ? [] : longestWaits([held], behind);
      return [
        ...own.map(
          ({ text, since }) => `  ${step} waits for ${text}, since ${relativeTime(since, nowMs)}.`,
        ),
        ...(ahead === null ? [] : [`  ${aheadText(order, ahead)}`]),
        ...(limits.length === 0 ? [] : ['', ...limitLines(limits, nowMs, paint)]),
      ];
    }),
  ];
}

function aheadText({ priority, tenant }: OrderDocument, ahead: Ahead): string {
  const { orders, samePriority, sameTenant } = ahead;
  if (orders === 0) return 'No other order has waited for it for longer.';
  const parts = [
    `${samePriority} with priority ${priority}`,
    ...(sameTenant === null ? [] : [`${sameTenant} of tenant ${tenant}`]),
  ];
  const subject = orders === 1 ? '1 other order has' : `${orders} other orders have`;
  return `${subject} waited for it for longer: ${parts.join(', ')}.`;
}
