/** The API's documents, as the console reads them. */
import type { ActivityDocument } from '#http/activity-schemas.ts';
import type {
  AgentDocument as Agent,
  AgentsDocument as Agents,
  LimitDocument,
} from '#http/agent-schemas.ts';
import type { ListDocument, OrderDocument as Order } from '#http/schemas.ts';
import type { PrincipalDocument as Principal, WorkflowsDocument } from '#http/service-schemas.ts';

export type { ActivityDocument, Agent, Agents, ListDocument, Order, Principal, WorkflowsDocument };

/** An order of a listing. */
export type SummaryDocument = ListDocument['orders'][number];
export type HistoryDocument = Order['history'][number];
export type ProcessState = SummaryDocument['processState'];
export type Step = Order['steps'][string];
export type StepState = Step['state'];
export type Workflow = WorkflowsDocument['workflows'][number];
export type WorkflowStep = Workflow['steps'][number];
export type AgentActivity = ActivityDocument['agents'][number];
export type PoolActivity = ActivityDocument['pools'][number];
export type Limit = LimitDocument;
export type OrderFault = NonNullable<SummaryDocument['fault']>;

/** The data of an `order` event of `/events`. */
export interface Change {
  readonly orderId: string;
  readonly workflow: string;
  readonly revision: number;
  readonly processState: ProcessState;
  readonly direction: SummaryDocument['direction'];
  readonly priority: SummaryDocument['priority'];
  readonly fault: SummaryDocument['fault'];
  readonly last: HistoryDocument | null;
  readonly actions: SummaryDocument['actions'];
  readonly steps: Readonly<Record<string, StepState>>;
}

/** An error of the API: RFC 9457. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}
