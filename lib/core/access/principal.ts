/**
 * The authenticated caller and its permissions. Each role includes the ones before it: a submitter can
 * read its orders, and an operator can submit.
 */
import { limits } from '#core/model/limits.ts';

/** In ascending order of permissions. */
export const roles = ['viewer', 'submitter', 'operator'] as const;
/** See {@link roles}. */
export type Role = (typeof roles)[number];

/** An authenticated caller. */
export interface Principal {
  /** As stored in the history: see {@link principalName}. */
  readonly name: string;
  /** `iam`: API Gateway has already checked the IAM policies of the caller for this route. */
  readonly role: Role | 'iam';
  /** The tenant whose orders it can access; null: all tenants. */
  readonly tenant: string | null;
}

/** The result of authentication. */
export type Identity =
  | { readonly kind: 'known'; readonly principal: Principal }
  /** The request has no valid token. */
  | { readonly kind: 'unknown' }
  /** The token is valid, but grants no role. `reason`: a sentence that says what is missing. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Whether the principal has the role that is needed, or a higher one. */
export function mayAct({ role }: Principal, needed: Role): boolean {
  return role === 'iam' || roles.indexOf(role) >= roles.indexOf(needed);
}

/** Whether the principal can access this order. */
export function maySee({ tenant }: Principal, order: { readonly tenant: string | null }): boolean {
  return tenant === null || order.tenant === tenant;
}

/** Visible ASCII: one byte per character, and no control characters for a terminal. */
const plain = /^[\x21-\x7e]+$/;
const digestDigits = 12;

/**
 * The name for the history: unchanged, or for a long one its end and a digest of the whole, so that
 * different names stay different.
 */
export function principalName(full: string, digest: (text: string) => string): string {
  const max = limits.principalLengthMax;
  if (full.length <= max && plain.test(full)) return full;
  const end = full.replaceAll(/[^\x21-\x7e]/g, '').slice(digestDigits + 1 - max);
  return `${end}~${digest(full).slice(0, digestDigits)}`;
}
