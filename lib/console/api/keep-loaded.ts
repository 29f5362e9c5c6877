/** Keeps a document of the API up to date. */
import type { Signal } from '@preact/signals';
import { after } from '#console/parts/server-clock.ts';
import { failedRestMs, mayPass } from './answer.ts';
import { get } from './api-client.ts';
import { coalesced } from './coalesced.ts';
import type { Change, Problem } from './documents.ts';
import { follow } from './live.ts';

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
  const load = async () => {
    const answer = await get<Body>(path);
    if (!isCurrent) return;
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
  const stop = follow({
    refresh: loading.ask,
    changes(batch) {
      if (options.concerns?.(batch) === true) loading.ask();
    },
  });
  const { everyMs } = options;
  const timer = everyMs === undefined ? undefined : setInterval(loading.ask, everyMs);
  loading.ask();
  return () => {
    isCurrent = false;
    clearInterval(timer);
    stop();
    loading.stop();
  };
}
