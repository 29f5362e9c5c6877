/** The submission role of a function. */

import { workflowRegistry } from '#core/definition/registry.ts';
import type { Nudge } from '#core/model/message.ts';
import type { Admission } from '#ports/admission.ts';
import type { Channel } from '#ports/channels.ts';
import { assembleSubmission } from '#roles/assemble.ts';
import type { Submission } from '#roles/submission.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { sha256, systemRandom } from '#runtime/node/system-ids.ts';
import { workflows } from '#workflows/shipped.ts';
import { readConfig, responseVariables } from './config.ts';
import { ids, store } from './store.ts';
import { log } from './telemetry.ts';

const config = readConfig(responseVariables);

export const registry = workflowRegistry(workflows);

/**
 * @param nudges the channel by which the function sends nudges
 * @param admission by default every order is accepted
 */
export const submissionOver = (nudges: Channel<Nudge>, admission?: Admission): Submission =>
  assembleSubmission({
    store,
    registry,
    nudges,
    clock: systemClock,
    ids,
    digest: sha256,
    random: systemRandom,
    log,
    ...(admission !== undefined && { admission }),
    responseChannels: Object.keys(config.REEVE_RESPONSE_CHANNELS),
  });
