/** Who asks, as API Gateway's authorizer says it: the only thing here that a caller cannot write itself. */
import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { type Identity, principalName, type Role, roles } from '#core/access/principal.ts';
import { limits } from '#core/model/limits.ts';

/** How the tokens of an OpenID provider say what their bearer may do. */
export interface JwtRoles {
  /** The claim that lists scopes or groups. */
  readonly rolesClaim: string;
  /** What stands in it for each role. */
  readonly roles: Readonly<Record<Role, string>>;
  /** The claim that names the bearer's tenant; null: no bearer is confined to one. */
  readonly tenantClaim: string | null;
}

/** What the tenant claim of those who may see every tenant says. */
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

/** @param jwt null: callers sign for IAM, and API Gateway has checked their policies for the route */
export function identityOf(env: unknown, jwt: JwtRoles | null): Identity {
  if (jwt === null) {
    const parsed = iamSchema.safeParse(env);
    if (!parsed.success) return { kind: 'unknown' };
    // All callers are of this account: the end of the ARN tells them apart.
    const [name = ''] = parsed.data.requestContext.authorizer.iam.userArn.split(':').slice(-1);
    return known(name, 'iam', null);
  }
  const parsed = jwtSchema.safeParse(env);
  if (!parsed.success) return { kind: 'unknown' };
  const { claims } = parsed.data.requestContext.authorizer.jwt;
  const words = wordsOf(claims[jwt.rolesClaim]);
  const role = roles.findLast((candidate) => words.includes(jwt.roles[candidate]));
  if (role === undefined) {
    return { kind: 'refused', reason: `The claim ${jwt.rolesClaim} of the token names no role.` };
  }
  if (jwt.tenantClaim === null) return known(claims.sub, role, null);
  const tenant = claims[jwt.tenantClaim];
  // Without it the token would open every tenant: its absence is more often a mistake than a wish.
  if (typeof tenant !== 'string' || tenant === '' || tenant.length > limits.tenantLengthMax) {
    return { kind: 'refused', reason: `The token has no claim ${jwt.tenantClaim}.` };
  }
  return known(claims.sub, role, tenant === everyTenant ? null : tenant);
}

const known = (name: string, role: Role | 'iam', tenant: string | null): Identity => ({
  kind: 'known',
  principal: { name: principalName(name, sha256), role, tenant },
});

/** API Gateway hands claims on as text: scopes with spaces between them, a list as `[one two]`. */
function wordsOf(claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return claim.filter((word) => typeof word === 'string');
  if (typeof claim !== 'string') return [];
  return claim.replace(/^\[(.*)\]$/s, '$1').split(/\s+/);
}

/** Whoever sent a message to a queue, as SQS itself says it: no sender can say so of itself. */
export function senderOf(record: Pick<SQSRecord, 'attributes'> | undefined): string {
  const { SenderId: sender = '' } = record?.attributes ?? {};
  return sender === '' ? 'submission-queue' : principalName(sender, sha256);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
