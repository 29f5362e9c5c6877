/** What the code of an agent gets with its input. */
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { Request } from '#core/model/message.ts';
import { type Call, PermanentFault } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import type { Deadline } from './deadline.ts';

/** Makes the argument of a call. `url`: null without endpoints; `limit`: until when the call may take. */
export type MakeCall = (url: string | null, limit: Deadline) => Call;

/**
 * For the calls of one attempt, which share its heartbeats.
 *
 * @param limit of the attempt
 * @param beat sends a heartbeat
 */
export function callsOf(
  clock: Clock,
  request: Request,
  limit: Deadline,
  beat: () => void,
): MakeCall {
  const { orderId, idempotencyKey, attempt, completeWithinMs, endBy } = request;
  // The time of dispatch, not of receipt: a request that waited in the queue needs its first heartbeat earlier.
  let lastBeat = request.completeBy - completeWithinMs;
  return (url, own) => ({
    orderId,
    idempotencyKey,
    attempt,
    get endpoint() {
      if (url === null) throw endpointsMissing();
      return url;
    },
    get signal() {
      return own.signal;
    },
    heartbeat() {
      // Code that ignores its signal works on beside the call to the next endpoint, of which it says nothing.
      if (own.isPast()) return;
      const nowMs = clock.now();
      // The core ignores heartbeats that come more often than this and the time they may be late (lib/core/decide/replies.ts).
      const isDue = nowMs - lastBeat >= completeWithinMs / 2;
      if (isDue) {
        lastBeat = nowMs;
        limit.moveTo(Math.max(limit.completeBy, Math.min(nowMs + completeWithinMs, endBy)));
        beat();
      }
      // A call that reports progress is not one that never answers.
      if (own !== limit) own.moveTo(limit.completeBy);
    },
  });
}

const endpointsMissing = () =>
  new PermanentFault(
    'endpoints-missing' satisfies FaultCode,
    'The code of the agent reads `call.endpoint`, and the agent has no `endpoints`.',
    'possible',
  );
