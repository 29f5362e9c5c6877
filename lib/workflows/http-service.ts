/** A client of a remote service with JSON over HTTP that supports `Idempotency-Key`. */
import * as z from 'zod';
import type { JsonValue } from '#core/model/json.ts';
import { type Call, PermanentFault, TransientFault } from '#ports/agent-implementation.ts';

/** The client. */
export interface HttpService {
  /** @throws {TransientFault} a retry may succeed @throws {PermanentFault} the service refused */
  post(path: string, body: JsonValue, call: Call): Promise<unknown>;
}

/** The body of a refusal; `effect: none` guarantees that the call had no effect. */
const refusal = z.object({
  code: z.string().max(60),
  message: z.string(),
  effect: z.enum(['none', 'possible']).default('possible'),
});

/** The 4xx statuses after which a retry may succeed. */
const transientStatus = new Set([408, 425, 429]);

/** Makes the client of one service. @param baseUrl without a trailing slash */
export function httpService(baseUrl: string, fetch: typeof globalThis.fetch): HttpService {
  return {
    async post(path, body, { idempotencyKey, signal }) {
      const response = await fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(body),
        signal,
      }).catch((cause: unknown) => {
        throw new TransientFault('unreachable', `${path} cannot be reached.`, { cause });
      });
      const answer: unknown = await response.json().catch(() => null);
      if (response.ok) return answer;
      if (response.status >= 500 || transientStatus.has(response.status)) {
        throw new TransientFault(`http-${response.status}`, `${path} answered ${response.status}.`);
      }
      const refused = refusal.safeParse(answer);
      if (!refused.success) {
        const code = `http-${response.status}`;
        throw new PermanentFault(code, `${path} answered ${response.status}.`, 'possible');
      }
      const { code, message, effect } = refused.data;
      throw new PermanentFault(code, message, effect);
    },
  };
}
