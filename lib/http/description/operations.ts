/** Every operation of the API with its description, in the sequence of the OpenAPI document. */
import type { RouteConfig } from '@hono/zod-openapi';
import type { Operation } from '#core/access/routes.ts';
import { changeAgent, listAgents } from './agent-operations.ts';
import { followOrder, followOrders } from './event-operations.ts';
import { cancelOrder, reprioritiseOrder, resubmitOrder } from './operator-operations.ts';
import { listOrders, showOrder, submitOrder, submitOrders } from './order-operations.ts';
import {
  describeApi,
  listWorkflows,
  showActivity,
  showHealth,
  showPrincipal,
  showReadiness,
} from './service-operations.ts';

export const operations = {
  submitOrder,
  listOrders,
  showOrder,
  submitOrders,
  resubmitOrder,
  cancelOrder,
  reprioritiseOrder,
  listAgents,
  changeAgent,
  followOrders,
  followOrder,
  showActivity,
  showReadiness,
  listWorkflows,
  showPrincipal,
  describeApi,
  showHealth,
} satisfies Readonly<Record<Operation, RouteConfig>>;

/** The descriptions by operation: what serves an operation gets the types of its responses from here, and no code. */
export type Operations = typeof operations;
