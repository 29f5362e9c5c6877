/**
 * The routes of the API, and who may use each: the one table, for the API itself, for API Gateway's
 * routes and for the policies of IAM callers. docs/access.md shows it, and a test compares the two.
 */
import type { Role } from './principal.ts';

export interface ApiRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** The least role that may use it; `anyone`: no token is needed, except on AWS. */
  readonly role: Role | 'anyone';
  /** Whether a principal of one tenant may use it; it finds its own tenant there. */
  readonly confined: boolean;
  /** Whether it is served on AWS: a function ends with its request, and sees nothing in between. */
  readonly onAws: boolean;
}

const everywhere = { confined: true, onAws: true } as const;
const embedded = { confined: true, onAws: false } as const;

/** By operation id. */
export const routes = {
  submitOrder: { method: 'post', path: '/orders', role: 'submitter', ...everywhere },
  listOrders: { method: 'get', path: '/orders', role: 'viewer', ...everywhere },
  showOrder: { method: 'get', path: '/orders/{id}', role: 'viewer', ...everywhere },
  resubmitOrder: {
    method: 'post',
    path: '/orders/{id}/resubmit',
    role: 'operator',
    ...everywhere,
  },
  cancelOrder: { method: 'post', path: '/orders/{id}/cancel', role: 'operator', ...everywhere },
  followOrder: { method: 'get', path: '/orders/{id}/events', role: 'viewer', ...embedded },
  followOrders: { method: 'get', path: '/events', role: 'viewer', ...embedded },
  // It counts the orders of all tenants.
  showActivity: {
    method: 'get',
    path: '/activity',
    role: 'viewer',
    confined: false,
    onAws: false,
  },
  listWorkflows: { method: 'get', path: '/workflows', role: 'viewer', ...everywhere },
  showPrincipal: { method: 'get', path: '/principal', role: 'viewer', ...everywhere },
  describeApi: { method: 'get', path: '/openapi.json', role: 'viewer', ...everywhere },
  showHealth: { method: 'get', path: '/healthz', role: 'anyone', ...everywhere },
} as const satisfies Readonly<Record<string, ApiRoute>>;

export type Operation = keyof typeof routes;
