/** Orders whose agents operators drain, where several instances of the Scheduler read what was changed. */
import { expect, test } from 'vitest';
import type { AgentSettings } from '#core/definition/agent-settings.ts';
import { orderId } from '#core/model/ids.ts';
import type { Gates } from '#ports/gates.ts';
import {
  anyone,
  claim,
  east,
  expire,
  newTill,
  rival,
  stepOf,
  till,
  west,
} from '../support/till.ts';
import { roleScenario } from './scenario.ts';

const drained = { drained: { by: 'olga', at: 1 } };
const out = (...agents: readonly string[]): AgentSettings =>
  new Map(agents.map((agent) => [agent, drained]));

async function world() {
  const stored = { settings: out() };
  let settings = out();
  const asked: string[] = [];
  const gates: Gates = {
    async ask(requests) {
      asked.push(...requests.map(({ agent }) => agent));
      return requests.map(() => null);
    },
    release() {},
  };
  const roles = roleScenario(undefined, [till], undefined, gates, {
    current: () => settings,
    async refresh() {
      settings = stored.settings;
    },
  });
  const id = orderId('o-1');
  const at = roles.clock.now();
  const order = { orderId: id, details: { cents: 5 }, digest: 'd', submittedAt: at };
  await roles.store.create(order, newTill('o-1', at));
  return {
    ...roles,
    stored,
    asked,
    apply: (event: typeof claim) => roles.transitions.apply([{ orderId: id, event: () => event }]),
    step: async () => stepOf(await roles.record(id)),
    kept: () => roles.record(id),
  };
}

test('what is read beside the order counts for it', async () => {
  const { stored, apply, step, asked } = await world();
  stored.settings = out(east, west);
  await apply(claim);
  expect(await step()).toBe('Running teller-rival');
  expect(asked).toEqual([rival]);
});

test('no gate is asked for a step that no member may have, and a claim that finds the same writes nothing', async () => {
  const { stored, apply, step, asked, kept, clock, nudges } = await world();
  stored.settings = out(east, west, rival);
  await apply(claim);
  expect([asked, await step()]).toEqual([[], `Held ${anyone}`]);
  const held = await kept();
  expect(held).toMatchObject({ processState: 'Pending', failureCount: 0 });
  expect(held.steps[0]?.progress).toMatchObject({ gate: 'drained' });
  expect(nudges().map(({ at }) => at)).toEqual([held.notBefore]);
  clock.jump(10_000);
  await apply(claim);
  expect((await kept()).revision).toBe(held.revision);
  stored.settings = out(east, west);
  await apply(claim);
  expect(await step()).toBe('Running teller-rival');
});

test('a step in doubt goes to its drained domain, and to a drained member last (R25)', async () => {
  const { stored, apply, step, asked, clock } = await world();
  stored.settings = out(west, rival);
  await apply(claim);
  expect(await step()).toBe('Running teller-east');
  clock.jump(1_001);
  await apply(expire);
  asked.length = 0;
  stored.settings = out(west);
  await apply(claim);
  // West is drained, although east is the one that did not answer.
  expect(asked).toEqual([east]);
  clock.jump(1_001);
  await apply(expire);
  asked.length = 0;
  stored.settings = out(east, west);
  await apply(claim);
  expect([east, west]).toContain(asked[0]);
  expect(asked).not.toContain(rival);
});
