/** The agents of the simulated orders, and what their services allow. */
import * as z from 'zod';
import type { CheckedLimit } from '#checkers/process/limit-checker.ts';
import { type AgentContract, defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import type { AgentName } from '#core/model/ids.ts';

export const input = z.strictObject({ units: z.int(), from: z.array(z.string()) });
export type Input = z.infer<typeof input>;
/** `key`: that of the perform, so that no two steps return the same. */
export const output = z.object({ of: z.string(), units: z.int(), key: z.string() });
export type Output = z.infer<typeof output>;

const byTenant = ({ tenant }: { readonly tenant: string | null }) => tenant ?? 'none';

export const stock = defineAgent({
  name: 'stock',
  input,
  output,
  undo: 'offered',
  limits: { whole: { rate: { count: 4, per: 1_000, burst: 2 } } },
});
export const payment = defineAgent({
  name: 'payment',
  input,
  output,
  undo: 'offered',
  limits: {
    'per-tenant': { key: byTenant, atOnce: 1 },
    whole: { rate: { count: 3, per: 1_000 }, atOnce: 3 },
  },
});
export const packing = defineAgent({ name: 'packing', input, output, undo: 'offered' });
/** What has left the house cannot be called back. */
export const dispatch = defineAgent({ name: 'dispatch', input, output });

/** Two regions of one provider, which know each other's keys, and another provider. */
const tellers = {
  name: 'teller',
  input,
  output,
  undo: 'offered',
  limits: { 'per-tenant': { key: byTenant, rate: { count: 2, per: 1_000 } } },
  members: {
    east: { domain: 'bank' },
    west: { domain: 'bank', weight: 2 },
    rival: { limits: { whole: { rate: { count: 3, per: 1_000 }, atOnce: 1 } } },
  },
} as const;
export const teller = definePool(tellers);
export const backedTeller = definePool({ ...tellers, failover: 'undo-first' });

type Contract = AgentContract<Input, Output>;

export const contracts: readonly [Contract, ...Contract[]] = [
  stock,
  payment,
  packing,
  dispatch,
  teller.member('east'),
  teller.member('west'),
  teller.member('rival'),
];

/** The ledger of the service of an agent: services with one ledger know each other's keys. */
export const ledgerOf = (agent: AgentName): string =>
  teller.pool.find((member) => member.agent === agent)?.domain ?? agent;

/** The limits of the agents, as the services know them. */
export const serviceLimits: readonly [CheckedLimit, ...CheckedLimit[]] = [
  {
    ...{ name: 'stock/whole', agents: [stock.name], waitsUnder: [stock.name] },
    rate: { count: 4, per: 1_000, burst: 2 },
  },
  {
    ...{ name: 'payment/per-tenant', agents: [payment.name], waitsUnder: [payment.name] },
    ...{ by: 'tenant', atOnce: 1 },
  },
  {
    ...{ name: 'payment/whole', agents: [payment.name], waitsUnder: [payment.name] },
    ...{ atOnce: 3, rate: { count: 3, per: 1_000 } },
  },
  {
    name: 'teller/per-tenant',
    agents: teller.pool.map(({ agent }) => agent),
    waitsUnder: [teller.name, ...teller.pool.flatMap(({ agent, group }) => [agent, group])],
    ...{ by: 'tenant', rate: { count: 2, per: 1_000 } },
  },
  {
    ...{ name: 'teller-rival/whole', agents: [teller.member('rival').name] },
    waitsUnder: [teller.member('rival').name],
    ...{ atOnce: 1, rate: { count: 3, per: 1_000 } },
  },
];
