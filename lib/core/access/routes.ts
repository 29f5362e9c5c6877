/**
 * The routes of the API with the roles that may use them. The API, the routes of API Gateway and the
 * policies of IAM callers are derived from this table; a test compares it with docs/access.md.
 */
import type { Role } from './principal.ts';

/** A route of the API. */
export interface ApiRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** The lowest role that may use it; `anyone`: no token is needed, except on AWS. */
  readonly role: Role | 'anyone';
  /** Whether a principal of one tenant may use it, for its own tenant. */
  readonly confined: boolean;
  /** Whether it is served on AWS, where a function ends with its request and cannot stream events. */
  readonly onAws: boolean;
}

const everywhere = { confined: true, onAws: true } as const;
const embedded = { confined: true, onAws: false } as const;

/** By operation id. */
export const routes = {
  submitOrder: { method: 'post', path: '/orders', role: 'submitter', ...everywhere },
  submitOrders: { method: 'post', path: '/orders/batch', role: 'submitter', ...everywhere },
  listOrders: { method: 'get', path: '/orders', role: 'viewer', ...everywhere },
  showOrder: { method: 'get', path: '/orders/{id}', role: 'viewer', ...everywhere },
  resubmitOrder: {
    method: 'post',
    path: '/orders/{id}/resubmit',
    role: 'operator',
    ...everywhere,
  },
  cancelOrder: { method: 'post', path: '/orders/{id}/cancel', role: 'operator', ...everywhere },
  reprioritiseOrder: {
    method: 'post',
    path: '/orders/{id}/reprioritise',
    role: 'operator',
    ...everywhere,
  },
  followOrder: { method: 'get', path: '/orders/{id}/events', role: 'viewer', ...embedded },
  followOrders: { method: 'get', path: '/events', role: 'viewer', ...embedded },
  // The response counts the orders of all tenants.
  showActivity: {
    method: 'get',
    path: '/activity',
    role: 'viewer',
    confined: false,
    onAws: false,
  },
  // Agents work for all tenants.
  listAgents: { method: 'get', path: '/agents', role: 'viewer', confined: false, onAws: true },
  // One route for all changes: each is a resource of the stack, which has few left.
  changeAgent: {
    method: 'post',
    path: '/agents/{name}',
    role: 'operator',
    confined: false,
    onAws: true,
  },
  listWorkflows: { method: 'get', path: '/workflows', role: 'viewer', ...everywhere },
  showPrincipal: { method: 'get', path: '/principal', role: 'viewer', ...everywhere },
  describeApi: { method: 'get', path: '/openapi.json', role: 'viewer', ...everywhere },
  showHealth: { method: 'get', path: '/healthz', role: 'anyone', ...everywhere },
  showReadiness: { method: 'get', path: '/readyz', role: 'anyone', ...embedded },
} as const satisfies Readonly<Record<string, ApiRoute>>;

/** An operation id of the API. */
export type Operation = keyof typeof routes;
