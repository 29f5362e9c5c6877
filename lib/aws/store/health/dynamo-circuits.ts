/** The circuits that the instances of an agent share: one item for each agent in the Coordination table. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import { instant } from '#core/model/instant.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import { toItem } from '../attributes.ts';
import { coordinationItems } from '../coordination-items.ts';
import { circuitKey } from '../tables.ts';

const common = {
  Epoch: z.int().positive(),
  Since: instant,
  GoodRate: z.number().positive(),
  /** Earlier releases stored none: they took every rate for known. */
  GoodRateIs: z.enum(['known', 'unknown']).default('known'),
};

const stored = z
  .discriminatedUnion('State', [
    z.object({
      ...common,
      State: z.literal('open'),
      ProbeAt: instant,
      Probes: z.int().nonnegative(),
    }),
    z.object({
      ...common,
      State: z.literal('half-open'),
      Probe: z.string(),
      Probes: z.int().nonnegative(),
      ProbeBy: z.string(),
      ProbeUntil: instant,
    }),
    z.object({ ...common, State: z.literal('recovering'), From: instant }),
  ])
  .transform((item): SharedCircuit => {
    const goodRate = { perSecond: item.GoodRate, isKnown: item.GoodRateIs === 'known' };
    const of = { epoch: item.Epoch, since: item.Since, goodRate };
    switch (item.State) {
      case 'open':
        return { ...of, state: item.State, probeAt: item.ProbeAt, probes: item.Probes };
      case 'half-open': {
        const { State: state, Probe: probe, Probes: probes, ProbeBy: by, ProbeUntil } = item;
        return { ...of, state, probe, probes, by, probeUntil: ProbeUntil };
      }
      case 'recovering':
        return { ...of, state: item.State, from: item.From };
    }
  });

/** The attributes of a circuit; those of its other states are removed. */
function attributesOf(circuit: SharedCircuit) {
  const { state, epoch, since, goodRate } = circuit;
  return {
    State: state,
    Epoch: epoch,
    Since: since,
    GoodRate: goodRate.perSecond,
    GoodRateIs: goodRate.isKnown ? 'known' : 'unknown',
    ProbeAt: 'probeAt' in circuit ? circuit.probeAt : null,
    Probes: 'probes' in circuit ? circuit.probes : null,
    Probe: 'probe' in circuit ? circuit.probe : null,
    ProbeBy: 'by' in circuit ? circuit.by : null,
    ProbeUntil: 'probeUntil' in circuit ? circuit.probeUntil : null,
    From: 'from' in circuit ? circuit.from : null,
  };
}

/** An item that this release cannot read says nothing: each instance then goes by its own calls. */
export function dynamoCircuits(client: DynamoDBClient, table: string): Circuits {
  const items = coordinationItems(client, table);
  return {
    async read(agent) {
      const item = await items.read(circuitKey(agent));
      return stored.safeParse(item).data ?? null;
    },

    async store(agent, circuit, after) {
      const attributes = Object.entries(attributesOf(circuit));
      const answer = await items.update(circuitKey(agent), {
        UpdateExpression: `SET ${attributes.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_not_exists(#Epoch) OR #Epoch = :after',
        ExpressionAttributeNames: Object.fromEntries(
          attributes.map(([name]) => [`#${name}`, name]),
        ),
        ExpressionAttributeValues: toItem({
          ':after': after,
          ...Object.fromEntries(attributes.map(([name, value]) => [`:${name}`, value])),
        }),
      });
      return answer !== null;
    },
  };
}
