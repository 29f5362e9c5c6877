/** Sends the commands of a committed transition: the one way that commands leave a role, after the write (R13). */

import { loggedText, ReeveError } from '#core/model/errors.ts';
import type { Command, DeadlineCheck, Nudge, Request } from '#core/model/message.ts';
import type { Channel, Channels } from '#ports/channels.ts';
import type { Log } from '#ports/log.ts';

/** The ports of {@link sendCommands}. */
export interface CommandPorts {
  readonly channels: Channels;
  readonly checks?: Channel<DeadlineCheck>;
  readonly log: Log;
}

/** Never rejects. A message that cannot be sent is lost; the Supervisor recovers the order when it is due. */
export async function sendCommands(
  { channels, checks, log }: CommandPorts,
  commands: readonly Command[],
  ownChecks: readonly DeadlineCheck[] = [],
): Promise<void> {
  const nudges: Nudge[] = [];
  const requests: Request[] = [];
  for (const command of commands) {
    if (command.kind === 'nudge') nudges.push(command.nudge);
    else requests.push(command.request);
  }
  try {
    if (nudges.length > 0) await channels.nudges.send(nudges);
    if (requests.length > 0) await channels.requests.send(requests);
    // Last, because orders continue without them.
    if (ownChecks.length > 0) await checks?.send(ownChecks);
  } catch (error) {
    log.warn('messages-lost', {
      nudges: nudges.length,
      requests: requests.length,
      ...described(error),
    });
  }
}

const described = (error: unknown) => ({
  error: loggedText(error),
  code: error instanceof ReeveError ? error.code : null,
});
