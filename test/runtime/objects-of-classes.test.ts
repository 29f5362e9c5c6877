/** What an application gives may be objects of its classes: their methods are called on them. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import {
  type AgentImplementation,
  implementAgent,
  PermanentFault,
} from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import { type LocalReeveOptions, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';

const contract = defineAgent({
  name: 'pay',
  input: z.int(),
  output: z.int(),
  undo: 'offered',
});
const workflow = defineWorkflow({ name: 'shop', version: 1, details: z.int() })
  .step('pay', { agent: contract, onFault: 'hold', input: ({ details }) => details })
  .build();
const mailer = defineAgent({ name: 'mail', input: z.int(), output: z.int(), undo: 'unneeded' });
const withMail = defineWorkflow({ name: 'gift', version: 1, details: z.int() })
  .step('pay', { agent: contract, onFault: 'hold', input: ({ details }) => details })
  .step('mail', { agent: mailer, after: ['pay'], onFault: 'undo', input: ({ details }) => details })
  .build();

class Payments implements AgentImplementation<number, number> {
  readonly #most = 10;
  get contract() {
    return contract;
  }
  get endpoints() {
    return [{ url: 'http://one' }, { url: 'http://two' }];
  }
  async perform(cents: number) {
    if (cents > this.#most) throw new PermanentFault('declined', 'No.', 'none');
    return cents;
  }
  async undo() {}
}

class Lines implements Log {
  readonly #events: string[] = [];
  info(event: string) {
    this.#events.push(event);
  }
  warn(event: string) {
    this.#events.push(event);
  }
  error(event: string) {
    this.#events.push(event);
  }
  has(event: string) {
    return this.#events.includes(event);
  }
}

class Time implements Clock {
  readonly #clock = systemClock;
  now() {
    return this.#clock.now();
  }
  after(ms: number, work: () => void) {
    return this.#clock.after(ms, work);
  }
}

class Dice implements Random {
  #last = 0;
  next() {
    this.#last = (this.#last + 0.3) % 1;
    return this.#last;
  }
}

class Options implements LocalReeveOptions {
  readonly #seen: string[] = [];
  readonly log = new Lines();
  readonly path = ':memory:';
  get workflows() {
    return [workflow];
  }
  get agents() {
    return [new Payments()];
  }
  get clock() {
    return new Time();
  }
  get random() {
    return new Dice();
  }
  get responseChannels() {
    const seen = this.#seen;
    return {
      async shop() {
        await this.note('status');
      },
      async note(what: unknown) {
        seen.push(String(what));
      },
    };
  }
  async onAlert() {
    this.#seen.push('alert');
  }
  get seen() {
    return this.#seen;
  }
}

test('options, agents, log, clock, random and channels may be objects of classes', async () => {
  const options = new Options();
  const reeve = await startLocalReeve(options);
  onTestFinished(() => reeve.close());
  const paid = await reeve.submit(workflow, 5, { replyTo: 'shop' });
  expect(await paid.result()).toEqual({ state: 'Processed', outputs: { pay: 5 } });
  const declined = await reeve.submit(workflow, 50);
  expect((await declined.result()).state).toBe('Error');
  await expect.poll(() => options.seen).toContain('alert');
  await expect.poll(() => options.seen).toContain('status');
  expect(options.log.has('order-in-error')).toBe(true);
});

/** Code without its contract: methods and a getter of the class, and a field that only they use. */
class Cashier {
  readonly #paid: number[] = [];
  readonly service = { name: 'till' };
  get concurrency() {
    return 1;
  }
  async perform(cents: number) {
    this.#paid.push(cents);
    return this.#paid.length;
  }
  async undo() {
    this.#paid.length = 0;
  }
}

test('the code that `implementAgent` gets may be an object of a class', async () => {
  const pay = implementAgent(contract, new Cashier());
  expect(pay.concurrency).toBe(1);
  const unsent = new PermanentFault('unsent', 'No.', 'none');
  const mail = implementAgent(mailer, { perform: () => Promise.reject(unsent) });
  const reeve = await startLocalReeve({
    ...{ workflows: [workflow, withMail], agents: [pay, mail] },
    ...{ path: ':memory:', log: new Lines() },
  });
  onTestFinished(() => reeve.close());
  const processed = { state: 'Processed', outputs: { pay: 1 } };
  expect(await (await reeve.submit(workflow, 5)).result()).toEqual(processed);
  expect((await (await reeve.submit(withMail, 5)).result()).state).toBe('Undone');
  // The undo has emptied the till.
  expect(await (await reeve.submit(workflow, 5)).result()).toEqual(processed);
});

test('a log of a class gets the errors of a Reeve without a receiver of alerts', async () => {
  const log = new Lines();
  const given = { workflows: [workflow], agents: [new Payments()], path: ':memory:', log };
  const reeve = await startLocalReeve(given);
  onTestFinished(() => reeve.close());
  await (await reeve.submit(workflow, 50)).result();
  await expect.poll(() => log.has('order-in-error')).toBe(true);
});
