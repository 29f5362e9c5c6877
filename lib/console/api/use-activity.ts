/** The activity of the server; null when it has none, or not yet. */
import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { ActivityDocument, Workflow, WorkflowsDocument } from './documents.ts';
import type { Loaded } from './keep-loaded.ts';
import { useDocument } from './use-document.ts';

const restMs = 1_000;
const everyMs = 5_000;

export function useActivity(): ReadonlySignal<Loaded<ActivityDocument>> {
  return useDocument<ActivityDocument>('/activity', { restMs, everyMs, concerns: () => true });
}

/**
 * The server has the route, and lets this one see it: what it counts is shown, or will be in a moment.
 * It counts all tenants, so principals of one tenant have no access.
 */
export const isCounted = (loaded: Loaded<ActivityDocument>): boolean =>
  !(loaded.kind === 'refused' && (loaded.status === 404 || loaded.status === 403));

export function useWorkflows(): ReadonlySignal<readonly Workflow[]> {
  const loaded = useDocument<WorkflowsDocument>('/workflows', { restMs: 60_000 });
  return useComputed(() => (loaded.value.kind === 'shown' ? loaded.value.body.workflows : []));
}
