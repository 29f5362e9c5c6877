/** A Reeve on a port of its own, with the shipped workflow, a quick one, and suppliers to break. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { Role } from '#core/access/principal.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { Identify } from '#http/access/access.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { consolePages, type SignIn } from '#runtime/node/console-pages.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { startSuppliers } from '#suppliers/start-suppliers.ts';
import { orderAgents } from '#workflows/order-agents.ts';
import { fraud, inventory, payment, shipping } from '#workflows/order-contracts.ts';
import { amountCents, orderDetailsSchema } from '#workflows/order-details.ts';
import { workflows } from '#workflows/shipped.ts';

/** As the shipped workflow, but a payment that hangs stops in Error after seconds. */
const express = defineWorkflow({ name: 'express', version: 3, details: orderDetailsSchema })
  .step('screen', {
    agent: fraud,
    completeWithin: 3_000,
    input: ({ orderId, details: { customer, currency, ...rest } }) => ({
      ...{ orderId, customer, currency },
      amountCents: amountCents({ customer, currency, ...rest }),
    }),
  })
  .step('reserve', {
    agent: inventory,
    completeWithin: 3_000,
    input: ({ orderId, details }) => ({ orderId, lines: details.lines }),
  })
  .step('charge', {
    agent: payment,
    after: ['screen', 'reserve'],
    completeWithin: 1_000,
    retries: 1,
    coolDown: { after: 1_500, times: 1 },
    onFault: 'hold',
    onExhausted: 'hold',
    input: ({ orderId, details }) => ({
      orderId,
      amountCents: amountCents(details),
      currency: details.currency,
      token: details.payment.token,
    }),
  })
  .step('ship', {
    agent: shipping,
    after: ['reserve', 'charge'],
    completeWithin: 3_000,
    irreversible: true,
    input: ({ orderId, details, outputs }) => ({
      orderId,
      reservationId: outputs.reserve.reservationId,
      shipTo: details.shipTo,
    }),
  })
  .build();

const details = {
  customer: 'Ada Lovelace',
  lines: [{ sku: 'lamp-brass', quantity: 1, unitPriceCents: 8_900 }],
  currency: 'EUR',
  payment: { token: 'tok_4f2a' },
  shipTo: {
    name: 'Ada Lovelace',
    street: 'Lindenweg 4',
    city: 'Bern',
    postalCode: '3007',
    country: 'CH',
  },
};

/** Shipping has two addresses, so that pages show them. */
const carriers = [
  { url: 'https://north.carrier.example' },
  { url: 'https://south.carrier.example' },
];

const bearerOf =
  (token: string, role: Role): Identify =>
  ({ authorization }) =>
    authorization === `Bearer ${token}`
      ? { kind: 'known', principal: { name: 'olga', role, tenant: null } }
      : { kind: 'unknown' };

export interface World {
  readonly url: string;
  readonly reeve: LocalReeve;
  /** Gives the order's id. */
  submit(workflow: string, tenant?: string, correlationId?: string): Promise<string>;
  /** Resolves when the order is in that state. */
  reaches(orderId: string, processState: string): Promise<void>;
  /** Breaks a supplier, or mends it: see lib/suppliers/supplier-faults.ts. */
  faults(service: string, faults: Readonly<Record<string, number | boolean>>): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Asked for; default: none is. */
  readonly token?: string;
  /** Of who has the token. Default `operator`. */
  readonly role?: Role;
  readonly signIn?: SignIn;
  readonly clock?: Clock;
  /** Beside those of the world. Default: none. */
  readonly also?: {
    readonly workflow: WorkflowDefinition;
    readonly agents: readonly AgentImplementation[];
  };
}

export async function startWorld({
  token,
  role = 'operator',
  signIn,
  clock = systemClock,
  also,
}: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-console-'));
  await build({
    configFile: 'lib/console/vite.config.ts',
    logLevel: 'error',
    build: { outDir: join(folder, 'console') },
  });
  const suppliers = await startSuppliers({ port: 0, dataDir: join(folder, 'suppliers') });
  const at = (service: string) => `${suppliers.url}/${service}`;
  const urls = {
    fraud: at('fraud'),
    inventory: at('inventory'),
    payment: at('payment'),
    shipping: at('shipping'),
  };
  const log = jsonLog(systemClock, 'silent', () => {});
  const reeve = await startLocalReeve({
    workflows: [...workflows, express, ...(also === undefined ? [] : [also.workflow])],
    agents: [
      ...orderAgents(urls, fetch).map((agent) =>
        agent.contract.name === shipping.name ? { ...agent, endpoints: carriers } : agent,
      ),
      ...(also?.agents ?? []),
    ],
    path: join(folder, 'reeve.db'),
    random: systemRandom,
    sweepPeriodMs: 200,
    clock,
    log,
  });
  const server = await serveApi(reeve, {
    ...{ host: '127.0.0.1', port: 0 },
    ...(token !== undefined && { identify: bearerOf(token, role) }),
    pages: consolePages(join(folder, 'console'), signIn),
  });
  return {
    url: server.url,
    reeve,
    async submit(workflow, tenant, correlationId) {
      const outcome = await reeve.submission.submit(
        {
          ...{
            workflow,
            details,
            priority: 'normal',
            tenant: tenant ?? null,
            correlationId: correlationId ?? null,
            replyTo: null,
            key: null,
          },
        },
        'ada',
      );
      if (outcome.kind !== 'accepted') throw new Error(`refused: ${outcome.code}`);
      return outcome.orderId;
    },
    reaches: (orderId, processState) =>
      new Promise((resolve) => {
        const stop = reeve.watch((record) => {
          if (record.orderId !== orderId || record.processState !== processState) return;
          stop();
          resolve();
        });
      }),
    async faults(service, faults) {
      const response = await fetch(`${suppliers.url}/faults/${service}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(faults),
      });
      if (!response.ok) throw new Error(`the suppliers answered ${response.status}`);
    },
    async close() {
      await server.close();
      reeve.close();
      await suppliers.close();
      rmSync(folder, { recursive: true });
    },
  };
}
