/** Keeps a document of the API up to date. */
import type { Signal } from '@preact/signals';
import { after } from '#console/parts/server-clock.ts';
import { type Answer, failedRestMs, mayPass } from './answer.ts';
import { get } from './api-client.ts';
import { coalesced } from './coalesced.ts';
import type { Change, Problem } from './documents.ts';
import { follow } from './live.ts';
import { sessions, tokenWanted } from './session-token.ts';

export type Loaded<Body> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown'; readonly body: Body }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  | { readonly kind: 'unreachable' };

export interface DocumentOptions {
  /** Between two requests, ms; less after one that failed. */
  readonly restMs: number;
  /** True when these changes affect the document. Default: never. */
  readonly concerns?: (changes: ReadonlyMap<string, Change>) => boolean;
  /** Also load periodically, ms. */
  readonly everyMs?: number;
}

/** The last document stays while Reeve does not answer. The returned function ends it. */
export function keepLoaded<Body>(
  path: string,
  options: DocumentOptions,
  loaded: Signal<Loaded<Body>>,
): () => void {
  let isCurrent = true;
  let { restMs } = options;
  loaded.value = { kind: 'loading' };
  let refusedIn: number | null = null;
  const load = async () => {
    const session = sessions.peek();
    const answer = await get<Body>(path);
    if (!isCurrent) return;
    refusedIn = isForbidden(answer) ? session : null;
    restMs = answer.kind === 'ok' ? options.restMs : Math.min(options.restMs, failedRestMs);
    if (mayPass(answer)) {
      restMs = failedRestMs;
      loading.ask();
    }
    if (answer.kind === 'ok') loaded.value = { kind: 'shown', body: answer.body };
    else if (answer.kind === 'refused') {
      // During a sign-in, the shown document is still valid.
      if (answer.status !== 401) loaded.value = answer;
    } else if (loaded.value.kind === 'loading') loaded.value = { kind: 'unreachable' };
  };
  const loading = coalesced(load, () => restMs, after);
  // Each refusal is an entry of the access log.
  const ask = () => {
    if (refusedIn !== sessions.peek()) loading.ask();
  };
  const stop = follow({
    refresh: ask,
    changes(batch) {
      if (options.concerns?.(batch) === true) ask();
    },
  });
  const { everyMs } = options;
  const askUnlessRefused = () => {
    if (!tokenWanted.peek()) ask();
  };
  const timer = everyMs === undefined ? undefined : setInterval(askUnlessRefused, everyMs);
  loading.ask();
  return () => {
    isCurrent = false;
    clearInterval(timer);
    stop();
    loading.stop();
  };
}

/** Whether Reeve answers the same until another principal asks: what covers all tenants has nothing for one of them. */
const isForbidden = (answer: Answer<unknown>): boolean =>
  answer.kind === 'refused' && answer.problem.code === 'tenant-forbidden';
