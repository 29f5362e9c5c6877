/** When an attempt waited for so long that it is given back instead of begun. */
import type { Request } from '#core/model/message.ts';

/** Less than half of the time of the attempt is left: it would fail although its service is healthy. */
export function isTooLate({ completeBy, completeWithinMs }: Request, nowMs: number): boolean {
  return completeBy - nowMs < completeWithinMs / 2;
}
