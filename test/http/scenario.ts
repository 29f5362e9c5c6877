/** An API over a real Reeve in memory, with agents that the test controls. */
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Identity, Principal } from '#core/access/principal.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { ProcessApiPorts } from '#http/api-ports.ts';
import { processApi } from '#http/process-api.ts';
import type { ApiRouter } from '#http/routes/api-router.ts';
import { PermanentFault } from '#ports/agent-implementation.ts';
import { assembleSubmissionBatch } from '#roles/assemble.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';

const cook = defineAgent({
  name: 'cook',
  input: z.object({ dish: z.string() }),
  output: z.object({ plate: z.string() }),
  undo: 'offered',
});

const dinner = defineWorkflow({
  name: 'dinner',
  version: 1,
  details: z.strictObject({ dish: z.string().min(1), guests: z.int().min(1) }),
})
  .step('cook', { agent: cook, onFault: 'hold', input: ({ details }) => ({ dish: details.dish }) })
  .build();

export interface Scenario {
  readonly app: ApiRouter;
  readonly reeve: LocalReeve;
  /** From now on the agent refuses every call, or none. */
  refuse(refuses: boolean): void;
  /** From now on the agent waits until the test lets it answer. */
  hold(): () => void;
  submit(body?: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, document?: unknown): Promise<Response>;
  /** Resolves when the order is in that state. */
  reaches(orderId: string, processState: string): Promise<void>;
}

export const operator: Principal = { name: 'olga', role: 'operator', tenant: null };
export const identified = (principal: Principal): Identity => ({ kind: 'known', principal });

export const body = { workflow: 'dinner', details: { dish: 'soup', guests: 2 } };
export const json = { 'content-type': 'application/json' };

/** `change`: replaces a dependency of the API, to make it fail. */
export async function scenario(
  change: (ports: ProcessApiPorts) => ProcessApiPorts = (ports) => ports,
  apiOf: (ports: ProcessApiPorts) => ApiRouter = processApi,
): Promise<Scenario> {
  let refuses = false;
  let gate: Promise<void> = Promise.resolve();
  const log = jsonLog(systemClock, 'silent', () => {});
  const reeve = await startLocalReeve({
    workflows: [dinner],
    agents: [
      {
        contract: cook,
        async perform({ dish }: { dish: string }) {
          await gate;
          if (refuses) throw new PermanentFault('burnt', `${dish} is burnt`, 'none');
          return { plate: dish };
        },
        async undo() {},
      },
    ],
    path: ':memory:',
    clock: systemClock,
    random: { next: () => 0.5 },
    log,
  });
  onTestFinished(() => reeve.close());
  const app = apiOf(
    change({
      ...reeve,
      batch: assembleSubmissionBatch(reeve),
      clock: systemClock,
      log,
      guard: { hosts: null, identify: () => identified(operator), pages: new Set() },
      accessLog: null,
      sweepLateMs: 60_000,
    }),
  );
  const get = async (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { headers });
  return {
    app,
    reeve,
    get,
    refuse: (value) => {
      refuses = value;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    submit: async (document = body, headers = {}) =>
      app.request('/orders', {
        method: 'POST',
        headers: { ...json, ...headers },
        body: typeof document === 'string' ? document : JSON.stringify(document),
      }),
    post: async (path, document) =>
      app.request(path, {
        method: 'POST',
        ...(document !== undefined && { headers: json, body: JSON.stringify(document) }),
      }),
    async reaches(orderId, processState) {
      const reached = new Promise<void>((resolve) => {
        const stop = reeve.watch((record) => {
          if (record.orderId !== orderId || record.processState !== processState) return;
          stop();
          resolve();
        });
      });
      const now = z.object({ processState: z.string() });
      const { processState: already } = now.parse(await (await get(`/orders/${orderId}`)).json());
      if (already !== processState) await reached;
    },
  };
}

const accepted = z.object({ orderId: z.string(), processState: z.string() });

export async function orderIdOf(response: Response): Promise<string> {
  return accepted.parse(await response.json()).orderId;
}
