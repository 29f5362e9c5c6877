/** The routes of agents: what operators see of them, and change while orders run. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { agentName } from '#core/model/ids.ts';
import { activitySchema } from '#http/activity-schemas.ts';
import { agentSchema, agentsSchema } from '#http/agent-schemas.ts';
import { problemSchema } from '#http/problem-schema.ts';
import { body, orderIdOf, scenario } from './scenario.ts';

const readJson = async (response: Response): Promise<unknown> => response.json();

test('a drained agent is listed with who drained it, its orders say why they wait, and go on when it is resumed', async () => {
  const { get, post, submit, reaches } = await scenario();
  const drained = await post('/agents/cook', { drained: true });
  expect(drained.status).toBe(200);
  const agent = agentSchema.parse(await readJson(drained));
  expect(agent).toMatchObject({ name: 'cook', drained: { by: 'olga' }, member: null, inFlight: 0 });
  const id = await orderIdOf(await submit(body));
  const held = z.object({
    steps: z.object({ cook: z.object({ held: z.object({ gate: z.string() }).nullable() }) }),
  });
  const gate = async () =>
    held.parse(await readJson(await get(`/orders/${id}`))).steps.cook.held?.gate;
  await expect.poll(gate).toBe('drained');
  const listed = agentsSchema.parse(await readJson(await get('/agents')));
  expect(listed).toMatchObject({
    agents: [
      { name: 'cook', state: 'drained', waiting: 1, room: 256, circuit: { state: 'closed' } },
    ],
    pools: [],
  });
  const activity = activitySchema.parse(await readJson(await get('/activity')));
  expect(activity.agents).toMatchObject([
    {
      name: 'cook',
      state: 'drained',
      drained: { by: 'olga' },
      held: [{ gate: 'drained', steps: 1 }],
    },
  ]);
  const resumed = agentSchema.parse(await readJson(await post('/agents/cook', { drained: false })));
  expect(resumed).toMatchObject({ state: 'healthy', drained: null });
  await reaches(id, 'Processed');
});

test.each([
  [{ drained: true }, ['cook', { kind: 'drain' }]],
  [{ drained: false }, ['cook', { kind: 'resume' }]],
  [{ weight: 0 }, ['cook', { kind: 'weight', weight: 0 }]],
  [{ weight: 100 }, ['cook', { kind: 'weight', weight: 100 }]],
  [{ weight: null }, ['cook', { kind: 'weight', weight: null }]],
  [{ limit: { name: 'all' } }, ['cook/all', null]],
  [{ limit: { name: 'all', atOnce: 3 } }, ['cook/all', { atOnce: 3 }]],
  [
    { limit: { name: 'all', rate: { count: 5, per: 1_000 } } },
    ['cook/all', { rate: { count: 5, per: 1_000 } }],
  ],
])(
  'the change %j is that of its caller, and null is what the definition says',
  async (sent, meant) => {
    const asked: unknown[] = [];
    const { post } = await scenario(({ agents, limits, ...ports }) => ({
      ...ports,
      agents: {
        ...agents,
        async change(...request) {
          asked.push(request);
          return { kind: 'unknown-agent', known: [] };
        },
      },
      limits: {
        ...limits,
        async change(...request) {
          asked.push(request);
          return { kind: 'unknown-limit', known: [] };
        },
      },
    }));
    expect((await post('/agents/cook', sent)).status).toBe(404);
    expect(asked).toEqual([[...meant, 'olga']]);
  },
);

test.each([
  ['/agents/nobody', { drained: true }, 404, 'agent-unknown'],
  ['/agents/cook', { weight: 3 }, 409, 'agent-not-in-pool'],
  ['/agents/cook', { weight: 101 }, 422, 'body-invalid'],
  ['/agents/cook', {}, 422, 'body-invalid'],
  ['/agents/cook', { drained: true, until: 'noon' }, 422, 'body-invalid'],
  ['/agents/cook', { drained: true, weight: 3 }, 422, 'body-invalid'],
  ['/agents/cook', { limit: { name: 'none', atOnce: 3 } }, 404, 'limit-unknown'],
  ['/agents/cook', { limit: { atOnce: 3 } }, 422, 'body-invalid'],
])('POST %s with %j is refused with %i %s', async (path, sent, status, code) => {
  const { post } = await scenario();
  const response = await post(path, sent);
  expect(response.status).toBe(status);
  expect(problemSchema.parse(await readJson(response)).code).toBe(code);
});

test('members and pools are listed as they are, and as operators changed them', async () => {
  const at = Date.UTC(2026, 0, 2);
  const changed = { by: 'olga', at };
  const unknown = { inFlight: null, room: null, waiting: 3 };
  const { get } = await scenario((ports) => ({
    ...ports,
    agents: {
      ...ports.agents,
      list: async () => ({
        agents: [
          {
            name: agentName('pay-eu'),
            state: 'draining',
            drained: changed,
            member: { pool: agentName('pay'), domain: 'eu', weight: 4, changed },
            circuit: { state: 'open', since: at },
            ...unknown,
          },
        ],
        pools: [
          {
            name: agentName('pay'),
            members: [agentName('pay-eu')],
            isHeldBack: true,
            waiting: null,
          },
        ],
      }),
    },
  }));
  const shown = { by: 'olga', at: '2026-01-02T00:00:00.000Z' };
  const document = agentsSchema.parse(await readJson(await get('/agents')));
  expect(document).toEqual({
    agents: [
      {
        name: 'pay-eu',
        state: 'draining',
        drained: shown,
        member: { pool: 'pay', domain: 'eu', weight: 4, changed: shown },
        circuit: { state: 'open', since: shown.at },
        ...unknown,
      },
    ],
    limits: [],
    pools: [{ name: 'pay', members: ['pay-eu'], heldBack: true, waiting: null }],
  });
});
