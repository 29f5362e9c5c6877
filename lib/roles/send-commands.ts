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
  await sendEach(channels.nudges, nudges, log, { nudges: nudges.length, requests: 0 });
  await sendEach(channels.requests, requests, log, { nudges: 0, requests: requests.length });
  // Last, because orders continue without them.
  if (checks !== undefined) await sendEach(checks, ownChecks, log, { nudges: 0, requests: 0 });
}

/** What cannot be sent to one channel keeps no message from another. */
async function sendEach<Message>(
  channel: Channel<Message>,
  messages: readonly Message[],
  log: Log,
  counts: { readonly nudges: number; readonly requests: number },
): Promise<void> {
  if (messages.length === 0) return;
  try {
    await channel.send(messages);
  } catch (error) {
    log.warn('messages-lost', { ...counts, ...described(error) });
  }
}

const described = (error: unknown) => ({
  error: loggedText(error),
  code: error instanceof ReeveError ? error.code : null,
});
