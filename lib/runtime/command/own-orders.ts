/** `reeve dev`: the workflows and agents of a module of the user. */
import { loadDefinitions } from '#runtime/node/load-definitions.ts';
import { checkLiveOrders } from './check-live-orders.ts';
import type { Serve } from './start-command.ts';

/** Serves what the module exports. @param path of the module */
export function ownOrders(path: string): Serve {
  return async (config) => {
    const { workflows, agents } = await loadDefinitions(path);
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
