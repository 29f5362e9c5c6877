// examples/recipes/embedded-shop.ts

import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpService, implementAgent } from 'reeve';
import { namedTokens, serveApi } from 'reeve/http';
import {
  type LocalReeve,
  SubmissionError,
  startLocalReeve,
  systemClock,
  webhook,
  webhookSecrets,
} from 'reeve/local';
import { payment } from './contracts.ts';
import { fraudAgent } from './fraud-agent.ts';
import { optionalStep } from './optional-step.ts';

export interface ShopOptions {
  /** The database file, in a folder of its own, where `reeve check` finds it by this name. `reeve.backup` makes a backup. */
  readonly path: string;
  /** The payment service. */
  readonly bank: HttpService;
  /** Where status messages are sent. */
  readonly statusUrl: string;
  /** `whsec_` and base64; two secrets with a space between them while one is replaced. */
  readonly secret: string;
}

export function startShop({ path, bank, statusUrl, secret }: ShopOptions): Promise<LocalReeve> {
  // Throws at once where the secret has not the form that is required.
  const secrets = webhookSecrets(secret, 'The secret of the shop');
  return startLocalReeve({
    workflows: [optionalStep],
    agents: [
      fraudAgent,
      implementAgent(payment, {
        perform: async (input, call) =>
          payment.output.parse(await bank.post('/charges', input, call)),
        undo: async ({ performKey }, call) => {
          await bank.post('/refunds', { performKey }, call);
        },
      }),
    ],
    path,
    responseChannels: {
      // The function is asked before each message, so that it may read a secret that was replaced.
      shop: webhook({
        name: 'shop',
        url: statusUrl,
        secrets: async () => secrets,
        fetch,
        clock: systemClock,
      }),
    },
    onAlert: async ({ change, remedy }) => {
      console.error(`Order ${change.orderId} needs an operator. Afterwards: ${remedy}`);
    },
  });
}

/** Serves the API and the console to other machines. `tokens`: the file of named tokens. */
export const serveShop = (reeve: LocalReeve, tokens: string, port = 4400) =>
  serveApi(reeve, {
    host: '0.0.0.0',
    port,
    identify: namedTokens({ path: tokens, clock: reeve.clock, log: reeve.log }),
  });

/** Submits a sale once, however often it is called; while too many orders wait, again after the time that Reeve states. */
export async function sell(reeve: LocalReeve, sale: string, amountCents: number) {
  const details = { customer: 'ada', amountCents, token: 'tok_visa' };
  for (;;) {
    try {
      return await reeve.submit(optionalStep, details, { key: sale, replyTo: 'shop' });
    } catch (error) {
      if (!(error instanceof SubmissionError) || error.retryAfterMs === null) throw error;
      // A random time more, so that not all come back at once.
      await sleep(error.retryAfterMs * (1 + Math.random()));
    }
  }
}
