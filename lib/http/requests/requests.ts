/** What is checked of the request of each operation, and what its description says of it. */
import type { ZodObject, ZodType } from 'zod';
import type { Operation } from '#core/access/routes.ts';
import {
  agentChangeSchema,
  agentParam,
  batchSchema,
  cancelSchema,
  ifMatchHeader,
  ifNoneMatchHeader,
  keyHeader,
  lastEventHeader,
  listQuery,
  orderParam,
  reprioritiseSchema,
  resubmitSchema,
  submissionSchema,
} from './request-schemas.ts';

/** A JSON body. */
export interface RequestBody {
  /** Under this name the OpenAPI document has the schema. */
  readonly name: string;
  readonly schema: ZodType<object>;
  /** Whether there must be one; without a body, the request is that of an empty object. */
  readonly isRequired: boolean;
}

/** The parts of a request that are checked. */
export interface RequestParts {
  readonly query?: ZodObject;
  readonly params?: ZodObject;
  readonly headers?: ZodObject;
  readonly body?: RequestBody;
}

/** Of documents that pages ask for again and again: each answer has an entity tag. */
const conditional = { headers: ifNoneMatchHeader };

const ofOrder = { params: orderParam, headers: ifMatchHeader };

/** By operation; one that is left out has neither parameters nor a body. */
export const requests = {
  submitOrder: {
    headers: keyHeader,
    body: { name: 'Submission', schema: submissionSchema, isRequired: true },
  },
  submitOrders: { body: { name: 'Batch', schema: batchSchema, isRequired: true } },
  listOrders: { query: listQuery, ...conditional },
  showOrder: { params: orderParam, ...conditional },
  listWorkflows: conditional,
  showActivity: conditional,
  resubmitOrder: {
    ...ofOrder,
    body: { name: 'Resubmit', schema: resubmitSchema, isRequired: false },
  },
  cancelOrder: { ...ofOrder, body: { name: 'Cancel', schema: cancelSchema, isRequired: false } },
  reprioritiseOrder: {
    ...ofOrder,
    body: { name: 'Reprioritise', schema: reprioritiseSchema, isRequired: true },
  },
  followOrder: { params: orderParam, headers: lastEventHeader },
  changeAgent: {
    params: agentParam,
    body: { name: 'AgentChange', schema: agentChangeSchema, isRequired: true },
  },
} as const satisfies Partial<Record<Operation, RequestParts>>;

/** The checked parts of the request of any operation. */
export const partsOf = (operation: Operation): RequestParts => byOperation[operation] ?? {};

/** Whether the operation is answered with 304 where the caller has the document already. */
export const isConditional = (operation: Operation): boolean =>
  Object.hasOwn(partsOf(operation).headers?.shape ?? {}, 'if-none-match');

const byOperation: Partial<Record<Operation, RequestParts>> = requests;
