#!/usr/bin/env node
/**
 * Explores every state of the small worlds: `npm run explore`, or with `-- --json`, or `-- --world fork`, or `-- --shard 2/3`: the
 * second third of them.
 */
import { parseArgs } from 'node:util';
import { type Exploration, explore, oneOrder } from '#explore/explore.ts';
import { leasedRoom } from '#explore/leased-room.ts';
import { sharedGates } from '#explore/shared-gates.ts';
import { leaseWorlds, sharedWorlds, worlds } from '#explore/worlds.ts';
import { listShard } from '#sim/list-shard.ts';

/** Above the size of every world; a larger world is reported as incomplete. */
const statesMax = 3_000_000;

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    world: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
  },
});

const all = [
  ...worlds.map((world) => ({ ...world, run: () => explore(oneOrder(world), statesMax) })),
  ...sharedWorlds.map((world) => ({ ...world, run: () => explore(sharedGates(world), statesMax) })),
  ...leaseWorlds.map((world) => ({ ...world, run: () => explore(leasedRoom(world), statesMax) })),
];
const named = all.filter(({ name }) => flags.world === undefined || name === flags.world);
if (named.length === 0) {
  console.error(`--world ${flags.world}: there are ${all.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const found: Exploration[] = [];
for (const world of listShard(named, flags.shard)) {
  const began = performance.now();
  const exploration = await world.run();
  found.push(exploration);
  if (!flags.json) console.log(line(exploration, performance.now() - began, world.about));
}

if (flags.json) {
  const rows = found.map(({ violations, ...rest }) => ({ ...rest, bad: violations.length }));
  console.log(JSON.stringify({ worlds: rows }));
} else {
  const states = found.reduce((sum, one) => sum + one.states, 0);
  console.log(`${states.toLocaleString('en')} distinct states in all`);
  for (const { name, violations } of found) {
    for (const { rule, message, path } of violations) {
      console.log(`\n${name}: ${rule}: ${message}\n  ${path.join('\n  ')}`);
    }
  }
}
if (found.some(({ complete, violations }) => !complete || violations.length > 0))
  process.exitCode = 1;

function line(
  { name, states, depth, complete, violations }: Exploration,
  ms: number,
  about: string,
): string {
  return [
    name.padEnd(10),
    `${states.toLocaleString('en').padStart(9)} states`,
    `depth ${String(depth).padStart(2)}`,
    complete ? 'complete' : 'INCOMPLETE',
    `${violations.length} bad`,
    `${(ms / 1_000).toFixed(1).padStart(5)} s`,
    about,
  ].join('  ');
}
