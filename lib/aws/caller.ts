/**
 * The caller's identity as API Gateway's authorizer reports it: the only part of an event that a caller
 * cannot forge.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { QueueMessage } from '#aws/lambda-events.ts';
import { type Identity, principalName, type Role, roles } from '#core/access/principal.ts';
import { limits } from '#core/model/limits.ts';

/** How the tokens of an OpenID provider express their bearer's permissions. */
export interface JwtRoles {
  /** The claim that lists scopes or groups. */
  readonly rolesClaim: string;
  /** The value in `rolesClaim` that grants each role. */
  readonly roles: Readonly<Record<Role, string>>;
  /** The claim that names the bearer's tenant; null: bearers are not limited to one tenant. */
  readonly tenantClaim: string | null;
}

/** The value of the tenant claim that grants access to every tenant. */
const everyTenant = '*';

const iamSchema = z.object({
  requestContext: z.object({
    authorizer: z.object({ iam: z.object({ userArn: z.string().min(1) }) }),
  }),
});
const jwtSchema = z.object({
  requestContext: z.object({
    authorizer: z.object({
      jwt: z.object({ claims: z.looseObject({ sub: z.string().min(1) }) }),
    }),
  }),
});

/** @param jwt null: callers sign for IAM, and API Gateway has already checked their policies for the route */
export function identityOf(env: unknown, jwt: JwtRoles | null): Identity {
  if (jwt === null) {
    const parsed = iamSchema.safeParse(env);
    if (!parsed.success) return { kind: 'unknown' };
    // All callers belong to this account, so the last part of the ARN identifies them.
    const [name = ''] = parsed.data.requestContext.authorizer.iam.userArn.split(':').slice(-1);
    return known(name, 'iam', null);
  }
  const parsed = jwtSchema.safeParse(env);
  if (!parsed.success) return { kind: 'unknown' };
  const { claims } = parsed.data.requestContext.authorizer.jwt;
  const words = wordsOf(claims[jwt.rolesClaim]);
  const role = roles.findLast((candidate) => words.includes(jwt.roles[candidate]));
  if (role === undefined) return refused(`The claim ${jwt.rolesClaim} of the token names no role.`);
  if (jwt.tenantClaim === null) return known(claims.sub, role, null);
  const tenant = claims[jwt.tenantClaim];
  // Without the claim the token would grant access to every tenant, and its absence is more likely a mistake.
  if (tenant === undefined) return refused(`The token has no claim ${jwt.tenantClaim}.`);
  if (isTenant(tenant)) return known(claims.sub, role, tenant === everyTenant ? null : tenant);
  return refused(
    `The claim ${jwt.tenantClaim} of the token names no tenant: it must be a text of 1 to ${limits.tenantLengthMax} characters, and no list.`,
  );
}

/** Of a list, which API Gateway passes as `[one two]`, an order would belong to a tenant with that name. */
const isTenant = (claim: unknown): claim is string =>
  typeof claim === 'string' &&
  claim !== '' &&
  claim.length <= limits.tenantLengthMax &&
  claim.isWellFormed() &&
  !/^\[.*\]$/s.test(claim);

const refused = (reason: string): Identity => ({ kind: 'refused', reason });

const known = (name: string, role: Role | 'iam', tenant: string | null): Identity => ({
  kind: 'known',
  principal: { name: principalName(name, sha256), role, tenant },
});

/** API Gateway passes claims as text: scopes separated by spaces, a list as `[one two]`. */
function wordsOf(claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return claim.filter((word) => typeof word === 'string');
  if (typeof claim !== 'string') return [];
  return claim.replace(/^\[(.*)\]$/s, '$1').split(/\s+/);
}

/** The sender of a submission as SQS reports it, which the sender cannot forge. */
export function senderOf(record: Pick<QueueMessage, 'attributes'> | undefined): string {
  const { SenderId: sender = '' } = record?.attributes ?? {};
  return sender === '' ? 'submission-queue' : principalName(sender, sha256);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
