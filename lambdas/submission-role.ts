/** The submission role of a function. */

import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { Nudge } from '#core/model/message.ts';
import type { Admission } from '#ports/admission.ts';
import type { Channel } from '#ports/channels.ts';
import { assembleSubmission } from '#roles/assemble.ts';
import type { Submission } from '#roles/submission.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { sha256, systemRandom } from '#runtime/node/system-ids.ts';
import { readConfig, responseVariables } from './config.ts';
import type { FunctionStore } from './store.ts';
import { log } from './telemetry.ts';

interface SubmissionParts extends Pick<FunctionStore, 'store' | 'ids'> {
  readonly registry: WorkflowRegistry;
  /** The channel by which the function sends nudges. */
  readonly nudges: Channel<Nudge>;
  /** By default every order is accepted. */
  readonly admission?: Admission;
}

export function submissionRole(parts: SubmissionParts): Submission {
  const config = readConfig(responseVariables);
  return assembleSubmission({
    ...parts,
    clock: systemClock,
    digest: sha256,
    random: systemRandom,
    log,
    responseChannels: Object.keys(config.REEVE_RESPONSE_CHANNELS),
  });
}
