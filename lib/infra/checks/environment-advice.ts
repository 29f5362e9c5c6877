/** What to change where the environment of a function is larger than Lambda allows. */

/** By which setting each variable of Reeve grows; those that are not here have a length that no setting changes much. */
const changes: Readonly<Record<string, string>> = {
  REEVE_AGENTS: 'name fewer agents, or give them shorter names',
  REEVE_LIMITED_AGENTS: 'limit fewer agents by `maxConcurrency`, or give them shorter names',
  REEVE_CORS_ORIGINS: 'give fewer `corsOrigins`',
  REEVE_TENANT_WEIGHTS: 'give fewer tenants a weight in `tenantWeights`',
  REEVE_RESPONSE_CHANNELS: 'register fewer response channels, or give them shorter names',
  REEVE_JWT: 'give shorter names in `jwt`',
  REEVE_CONSOLE: 'give a shorter `console.scope`',
  REEVE_WEBHOOK_URL: 'give the webhook a shorter address',
  REEVE_SERVICE_URL: 'give the service a shorter address',
};
const ofOwn = 'give the function a shorter `environment`';
/** Prefixes of variables that an app does not set. */
const isOfReeve = /^(REEVE|POWERTOOLS)_/;
/** Variables that are named. */
const namedMax = 3;
/** Bytes of the smallest one that is worth a change. */
const namedMinBytes = 64;

/** Names the largest variables of an environment, and by which setting each becomes smaller. */
export function environmentAdvice(variables: Readonly<Record<string, string>>): string {
  const largest = Object.entries(variables)
    .flatMap(([name, value]) => {
      const change = changes[name] ?? (isOfReeve.test(name) ? undefined : ofOwn);
      // As they count: with quotes escaped, and the signs between two of them.
      const bytes = Buffer.byteLength(JSON.stringify({ [name]: value })) - 1;
      return change === undefined || bytes < namedMinBytes ? [] : [{ name, bytes, change }];
    })
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, namedMax);
  if (largest.length === 0) return 'Give the stack and its agents shorter names.';
  const each = largest.map(({ name, bytes, change }) => `${name} has ${bytes} bytes (${change})`);
  return `The largest that can be smaller: ${each.join(', ')}.`;
}
