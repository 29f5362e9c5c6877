/** `reeve dev`: the workflows and agents of a module of the user. */
import { loadDefinitions } from '#runtime/node/load-definitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { checkLiveOrders } from './check-live-orders.ts';
import type { Serve } from './start-command.ts';

/** Loading takes less, ms, unless the module awaits something at its top level. */
const loadsWithinMs = 3_000;

/**
 * Serves what the module exports.
 *
 * @param path of the module
 * @param say prints a line for the user
 */
export function ownOrders(path: string, say: (text: string) => void): Serve {
  return async (config) => {
    const waiting = `${path} is still being loaded: its code runs, or awaits something at its top level.\n`;
    const stop = systemClock.after(loadsWithinMs, () => say(waiting));
    const { workflows, agents } = await loadDefinitions(path).finally(stop);
    checkLiveOrders(config, workflows, path);
    const names = workflows.map(({ name, version }) => `${name}@${version}`).join(', ');
    return {
      workflows,
      agents,
      isDevelopment: true,
      welcome: (command) =>
        `\nWorkflows of ${path}: ${names}\nSubmit an order, in another terminal, with its details in place of the dots:\n  echo '{"workflow":"${workflows[0]?.name}","details":…}' | ${command}submit - --wait\n`,
    };
  };
}
