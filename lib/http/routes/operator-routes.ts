/** What operators do to an order: resubmit, cancel, reprioritise. */
import type { Principal } from '#core/access/principal.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { fieldProblem, type ProblemCode, problem, Refusal } from '#http/problem.ts';
import type { OperatorOptions, OperatorOutcome } from '#roles/operator.ts';
import type { ApiRouter } from './api-router.ts';
import { knownForm, unknownOrder } from './order-id.ts';
import { serve } from './serve.ts';

export function operatorRoutes(app: ApiRouter, ports: ApiPorts): void {
  serve(app, 'resubmitOrder', async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const { set = {} } = context.req.valid('json');
    const corrections = Object.entries(set).map(([field, value]) => ({ field, value }));
    const principal = context.get('principal');
    const options = { ...optionsOf(principal, context.req.valid('header')), corrections };
    const outcome = await ports.operator.resubmit(orderId, principal.name, options);
    return context.json(recorded(orderId, outcome), 202);
  });
  serve(app, 'cancelOrder', async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const principal = context.get('principal');
    const options = optionsOf(principal, context.req.valid('header'));
    const outcome = await ports.operator.cancel(orderId, principal.name, options);
    return context.json(recorded(orderId, outcome), 202);
  });
  serve(app, 'reprioritiseOrder', async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const { priority } = context.req.valid('json');
    const principal = context.get('principal');
    const options = optionsOf(principal, context.req.valid('header'));
    const { operator } = ports;
    const outcome = await operator.reprioritise(orderId, principal.name, priority, options);
    return context.json(recorded(orderId, outcome), 202);
  });
}

function optionsOf(
  { tenant }: Principal,
  { 'if-match': ifMatch }: { readonly 'if-match'?: string | undefined },
): OperatorOptions {
  return {
    ...(ifMatch !== undefined && { ifRevision: Number(ifMatch.slice(1, -1)) }),
    ...(tenant !== null && { tenant }),
  };
}

const refusals: Readonly<Record<string, ProblemCode>> = {
  'not-in-error': 'not-in-error',
  ended: 'ended',
  'already-undoing': 'already-undoing',
  irreversible: 'irreversible',
  changed: 'changed',
  'correction-refused': 'correction-refused',
  'record-full': 'record-full',
  'same-priority': 'same-priority',
};

function recorded(orderId: OrderId, outcome: OperatorOutcome) {
  switch (outcome.kind) {
    case 'unknown-order':
      throw unknownOrder(orderId);
    case 'refused': {
      if (outcome.errors.length > 0) {
        throw new Refusal(fieldProblem('correction-refused', outcome.errors));
      }
      const { processState, direction, priority, revision } = outcome.record;
      const detail = `The order is ${processState}, direction ${direction}, priority ${priority}, at revision ${revision}.`;
      throw new Refusal(problem(refusals[outcome.reason] ?? 'internal', detail));
    }
    case 'done': {
      return { orderId, processState: outcome.record.processState };
    }
  }
}
