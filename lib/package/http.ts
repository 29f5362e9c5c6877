/** `reeve/http`: the API and the console of a Reeve in one process. */

export type { Identity, Principal, Role } from '#core/access/principal.ts';
export type { Credentials, Identify } from '#http/access/access.ts';
export { type ApiServer, type ApiServerOptions, serveApi } from '#runtime/local/http-server.ts';
export { namedTokens } from '#runtime/local/named-tokens.ts';
