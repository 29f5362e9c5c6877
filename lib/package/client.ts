/** `reeve/client`: a client of the API for browsers and servers. */
export { ApiError, type FieldProblem } from '#client/api-error.ts';
export type { ClientOrder, ClientResult } from '#client/client-order.ts';
export {
  type ClientListOptions,
  type ClientSubmitOptions,
  type ReeveClient,
  type ReeveClientOptions,
  reeveClient,
  type Workflows,
} from '#client/reeve-client.ts';
export type { ClientCallOptions } from '#client/requests.ts';
export type { ClientOrderToSubmit, ClientOutcome, OrderOptions } from '#client/submit-many.ts';
