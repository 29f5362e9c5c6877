/** A response channel that is down: a real receiver, virtual time, and the whole of Reeve between. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { OrderId } from '#core/model/ids.ts';
import { type ProcessState, processStates } from '#core/model/record.ts';
import { PermanentFault } from '#ports/agent-implementation.ts';
import type { Alert } from '#ports/publisher.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { webhook } from '#runtime/node/webhook.ts';
import { webhookSecrets } from '#runtime/node/webhook-signature.ts';
import { testLog } from '../support/log.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const print = defineAgent({
  name: 'print',
  input: z.object({ page: z.int() }),
  output: z.object({}),
  undo: 'unneeded',
});
const leaflet = defineWorkflow({
  name: 'leaflet',
  version: 1,
  details: z.object({ page: z.int() }),
})
  .step('print', {
    agent: print,
    completeWithin: 4_000,
    onFault: 'hold',
    input: ({ details }) => details,
  })
  .build();

const statusSchema = z.object({
  orderId: z.string(),
  sequence: z.int(),
  processState: z.enum(processStates),
  correlationId: z.string().nullable(),
});

/** A shop that receives webhooks; while it is down, no server listens at its address. */
async function shop() {
  const heard: z.infer<typeof statusSchema>[] = [];
  let server: Server | null = null;
  const open = async (port: number): Promise<number> => {
    const opened = createServer(async (request, response) => {
      const body = await text(request);
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      new Webhook(secret).verify(body, headers);
      heard.push(statusSchema.parse(JSON.parse(body)));
      response.writeHead(204).end();
    }).listen(port, '127.0.0.1');
    await once(opened, 'listening');
    server = opened;
    const address = opened.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  };
  const close = async () => {
    if (server === null) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    server = null;
  };
  onTestFinished(close);
  const port = await open(0);
  await close();
  return { heard, url: `http://127.0.0.1:${port}/`, opens: () => open(port) };
}

async function reeve(url: string) {
  // The library of the receiver uses the system clock.
  const clock = virtualClock(Date.now());
  const alerts: Alert[] = [];
  const of = await startLocalReeve({
    workflows: [leaflet],
    agents: [
      {
        contract: print,
        async perform({ page }: { page: number }) {
          if (page === 13) throw new PermanentFault('paper-jam', 'The paper is jammed.', 'none');
          return {};
        },
      },
    ],
    path: ':memory:',
    clock,
    log: testLog(),
    random: { next: () => 0.5 },
    responseChannels: {
      shop: webhook({
        name: 'shop',
        url,
        secrets: async () => webhookSecrets(secret, 'the test'),
        fetch,
        clock,
      }),
    },
    onAlert: async (alert) => {
      alerts.push(alert);
    },
  });
  onTestFinished(() => of.close());
  return {
    clock,
    alerts,
    store: of.store,
    async submit(page: number): Promise<OrderId> {
      const outcome = await of.submission.submit(
        {
          workflow: 'leaflet',
          details: { page },
          priority: 'normal',
          tenant: null,
          replyTo: 'shop',
          correlationId: `page-${page}`,
          key: null,
        },
        'ada',
      );
      if (outcome.kind !== 'accepted') throw new Error(outcome.code);
      return outcome.orderId;
    },
  };
}

test('a response channel that is down delays no order and no alert, and loses no status', async () => {
  const { url, heard, opens } = await shop();
  const { clock, alerts, store, submit } = await reeve(url);
  const ids = await Promise.all(Array.from({ length: 40 }, (_, page) => submit(page)));
  await settled();
  const states = [...(await store.records(ids)).values()].map(({ processState }) => processState);
  const expected = ids.map((_, page): ProcessState => (page === 13 ? 'Error' : 'Processed'));
  expect(states).toEqual(expected);
  expect(alerts).toMatchObject([
    {
      change: { correlationId: 'page-13', tried: { agent: 'print', attempts: 1 } },
      remedy: `npx reeve resubmit ${ids[13]}`,
    },
  ]);

  for (let hour = 0; hour < 3; hour += 1) await clock.advance(60_000);
  expect(heard).toEqual([]);
  await opens();
  await until(
    () => heard.length === 3 * ids.length,
    () => clock.advance(30_000),
  );
  for (const [page, id] of ids.entries()) {
    const own = heard.filter(({ orderId }) => orderId === id);
    expect(own.map(({ processState }) => processState)).toEqual([
      'Pending',
      'Processing',
      expected[page],
    ]);
    expect(own.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(new Set(own.map(({ correlationId }) => correlationId))).toEqual(
      new Set([`page-${page}`]),
    );
  }
  expect(alerts).toHaveLength(1);
});

/** The network takes real time, which the virtual clock does not measure. */
async function until(holds: () => boolean, meanwhile: () => Promise<void>): Promise<void> {
  for (let tries = 0; !holds() && tries < 500; tries += 1) await meanwhile();
  expect(holds()).toBe(true);
}
