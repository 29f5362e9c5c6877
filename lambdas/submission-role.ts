/** The submission role of a function. */
import { workflowRegistry } from '#core/registry.ts';
import { submission as submissionRole } from '#roles/submission.ts';
import { systemClock } from '#runtime/system-clock.ts';
import { sha256 } from '#runtime/system-ids.ts';
import { workflows } from '#workflows/shipped.ts';
import { nudgesOnly } from './channels.ts';
import { readConfig, responseVariables } from './config.ts';
import { ids, store } from './store.ts';
import { log } from './telemetry.ts';

const config = readConfig(responseVariables);

export const registry = workflowRegistry(workflows);

export const submission = submissionRole({
  store,
  registry,
  channels: nudgesOnly,
  clock: systemClock,
  ids,
  digest: sha256,
  log,
  responseChannels: Object.keys(config.REEVE_RESPONSE_QUEUES),
});
