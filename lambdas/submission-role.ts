/** The submission role of a function. */
import type { Nudge } from '#core/message.ts';
import { workflowRegistry } from '#core/registry.ts';
import type { Channel } from '#ports/channels.ts';
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

/** `nudges`: how they leave. */
export const submissionOver = (nudges: Channel<Nudge>): Submission =>
  assembleSubmission({
    store,
    registry,
    nudges,
    clock: systemClock,
    ids,
    digest: sha256,
    log,
    responseChannels: Object.keys(config.REEVE_RESPONSE_CHANNELS),
  });
