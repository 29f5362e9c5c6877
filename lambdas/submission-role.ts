/** The submission role of a function. */
import { workflowRegistry } from '#core/registry.ts';
import type { Channels } from '#ports/channels.ts';
import { assembleSubmission } from '#roles/assemble.ts';
import type { Submission } from '#roles/submission.ts';
import { systemClock } from '#runtime/system-clock.ts';
import { sha256 } from '#runtime/system-ids.ts';
import { workflows } from '#workflows/shipped.ts';
import { readConfig, responseVariables } from './config.ts';
import { ids, store } from './store.ts';
import { log } from './telemetry.ts';

const config = readConfig(responseVariables);

export const registry = workflowRegistry(workflows);

/** `channels`: how its nudges leave. */
export const submissionOver = (channels: Channels): Submission =>
  assembleSubmission({
    store,
    registry,
    channels,
    clock: systemClock,
    ids,
    digest: sha256,
    log,
    responseChannels: Object.keys(config.REEVE_RESPONSE_CHANNELS),
  });
