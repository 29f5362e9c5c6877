/**
 * Timeouts of the SDK's clients: a call without an answer must end well within a function's time. Each client has a file of its own, so that
 * a function loads those alone that it uses.
 */

export interface ClientOptions {
  /** @default the region's endpoint */
  readonly endpoint?: string;
  /** How long an answer may take, ms. @default 2 s */
  readonly requestTimeoutMs?: number;
  /** How long a new connection may take, ms. @default half a second */
  readonly connectionTimeoutMs?: number;
}

const defaults = { connectionTimeoutMs: 500, requestTimeoutMs: 2_000 };
/** Three calls in total. Afterwards the message's redelivery and the Supervisor retry. */
const maxAttempts = 3;

/** The settings that all clients have. */
export function commonSettings({ endpoint, ...given }: ClientOptions) {
  const { connectionTimeoutMs, requestTimeoutMs } = { ...defaults, ...given };
  return {
    maxAttempts,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      // Without this, `requestTimeout` only warns (node-http-handler 4.4 and later).
      throwOnRequestTimeout: true,
    },
    ...(endpoint !== undefined && { endpoint }),
  };
}
