/**
 * Who asks, and what that one may do. Roles are a ladder: each may do what the ones before it may. A
 * submitter can therefore read what became of its orders, and an operator can submit.
 */
import { limits } from '#core/model/limits.ts';

export const roles = ['viewer', 'submitter', 'operator'] as const;
export type Role = (typeof roles)[number];

export interface Principal {
  /** As the history keeps it: see {@link principalName}. */
  readonly name: string;
  /** `iam`: API Gateway has already checked the caller's IAM policies for this very route. */
  readonly role: Role | 'iam';
  /** The one tenant whose orders it may see and touch; null: every tenant's. */
  readonly tenant: string | null;
}

/** What is found out of who asks. */
export type Identity =
  | { readonly kind: 'known'; readonly principal: Principal }
  /** No token, or none that is known. */
  | { readonly kind: 'unknown' }
  /** Known, and of no role here. `reason`: a sentence that says what is missing. */
  | { readonly kind: 'refused'; readonly reason: string };

export function mayAct({ role }: Principal, needed: Role): boolean {
  return role === 'iam' || roles.indexOf(role) >= roles.indexOf(needed);
}

/** Whether an order of this tenant is any business of the principal. */
export function maySee({ tenant }: Principal, order: { readonly tenant: string | null }): boolean {
  return tenant === null || order.tenant === tenant;
}

/** Visible ASCII: each character is one byte, and none steers a reader's terminal. */
const plain = /^[\x21-\x7e]+$/;
const digestDigits = 12;

/**
 * A name that fits a history, which has to stay small: as it is, or its end and a digest of the whole,
 * so that two long names stay two.
 */
export function principalName(full: string, digest: (text: string) => string): string {
  const max = limits.principalLengthMax;
  if (full.length <= max && plain.test(full)) return full;
  const end = full.replaceAll(/[^\x21-\x7e]/g, '').slice(digestDigits + 1 - max);
  return `${end}~${digest(full).slice(0, digestDigits)}`;
}
