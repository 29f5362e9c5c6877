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

/** Makes the client of one service. It follows no redirect: one is a refusal. @param baseUrl without a trailing slash */
export function httpService(baseUrl: string, fetch: typeof globalThis.fetch): HttpService {
  return {
    async post(path, body, { idempotencyKey, signal }) {
      const exchange = async () => {
        const response = await fetch(`${baseUrl}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
          body: JSON.stringify(body),
          // Most would be followed by a GET, whose answer would be taken for that of the call.
          redirect: 'manual',
          signal,
        });
        return { response, text: await response.text() };
      };
      const { response, text } = await exchange().catch((cause: unknown) => {
        throw new TransientFault('unreachable', `${path} cannot be reached.`, { cause });
      });
      const answer = jsonOf(text);
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

/** Null when it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
