/** A document of the API, kept up to date while it is shown. */
import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { type DocumentOptions, keepLoaded, type Loaded } from './keep-loaded.ts';

export function useDocument<Body>(path: string, options: DocumentOptions): Signal<Loaded<Body>> {
  const loaded = useSignal<Loaded<Body>>({ kind: 'loading' });
  // Before the first frame, so that the request is in flight while the page is drawn.
  useLayoutEffect(() => keepLoaded(path, options, loaded), [path]);
  return loaded;
}
