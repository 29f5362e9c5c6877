/** A remote service that speaks JSON over HTTP and honours an `Idempotency-Key`. */
import * as z from 'zod';
import type { JsonValue } from '#core/model/json.ts';
import { type Call, PermanentFault, TransientFault } from '#ports/agent-implementation.ts';

export interface HttpService {
  /** @throws {TransientFault} worth another try @throws {PermanentFault} refused */
  post(path: string, body: JsonValue, call: Call): Promise<unknown>;
}

/** What the services say when they refuse; `effect: none` says for sure that nothing happened. */
const refusal = z.object({
  code: z.string().max(60),
  message: z.string(),
  effect: z.enum(['none', 'possible']).default('possible'),
});

/** Of all 4xx, these may be answered otherwise a moment later. */
const transientStatus = new Set([408, 425, 429]);

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
