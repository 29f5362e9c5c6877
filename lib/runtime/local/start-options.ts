/** The options of a start, with their defaults. */
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { databaseIn, ownDataDir } from './data-directory.ts';
import { errorKinds } from './errors/error-kinds.ts';
import type { LocalReeveOptions } from './local-reeve.ts';

/** What each Reeve in one process has. */
export type StartPorts = Required<
  Pick<LocalReeveOptions, 'path' | 'clock' | 'random' | 'log' | 'onCodeError'>
>;

/** Completes the options, which may be an object of a class: what they inherit counts, and their functions are called on them. */
export function withDefaults(given: LocalReeveOptions): LocalReeveOptions & StartPorts {
  const { workflows, agents, path = databaseIn(ownDataDir), clock = systemClock } = given;
  const { sweepPeriodMs, keepEndedMs, backlogMaxMs, tenantWeights, command } = given;
  const { random = systemRandom, responseChannels = {} } = given;
  const write = (line: string) => void process.stderr.write(line);
  const quiet = given.log === undefined ? errorKinds(write) : () => {};
  const channels = Object.entries(responseChannels);
  return {
    ...{ workflows, agents, path, clock },
    ...(sweepPeriodMs !== undefined && { sweepPeriodMs }),
    ...(keepEndedMs !== undefined && { keepEndedMs }),
    ...(backlogMaxMs !== undefined && { backlogMaxMs }),
    ...(tenantWeights !== undefined && { tenantWeights }),
    ...(command !== undefined && { command }),
    ...(given.onAlert !== undefined && { onAlert: given.onAlert.bind(given) }),
    ...(given.onCircuit !== undefined && { onCircuit: given.onCircuit.bind(given) }),
    responseChannels: Object.fromEntries(
      channels.map(([name, respond]) => [name, respond.bind(responseChannels)]),
    ),
    log: given.log ?? jsonLog(clock, 'error', write),
    // A role takes the function alone.
    random: { next: () => random.next() },
    onCodeError: given.onCodeError?.bind(given) ?? quiet,
  };
}
