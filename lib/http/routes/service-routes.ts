/** The routes about Reeve itself: workflows, the caller, and the API description. */
import type { ApiPorts } from '#http/api-ports.ts';
import { operations } from '#http/requests/routing.ts';
import { workflowsView } from '#http/view.ts';
import { apiDocument } from './api-document.ts';
import type { ApiRouter } from './api-router.ts';
import { isServed, serve } from './serve.ts';

export function serviceRoutes(app: ApiRouter, ports: ApiPorts): void {
  serve(app, 'listWorkflows', (context) => context.json(workflowsView(ports.registry), 200));
  serve(app, 'showPrincipal', (context) => context.json({ ...context.get('principal') }, 200));
  const names = [...new Set(ports.registry.all.map(({ name }) => name))];
  serve(app, 'describeApi', async (context) => {
    const served = operations.filter((operation) => isServed(app, operation));
    return context.json(await apiDocument(new Set(served), names), 200);
  });
}
