/** The present route; it follows the address. */
import { signal } from '@preact/signals';
import { routeOf } from './page-paths.ts';

export const route = signal(routeOf(location.hash));

addEventListener('hashchange', () => {
  route.value = routeOf(location.hash);
});

export function goTo(hash: string): void {
  location.hash = hash;
}

/** Replaces the route, so that Back leads to the page before. */
export function replaceHash(hash: string): void {
  history.replaceState(null, '', hash);
  route.value = routeOf(hash);
}
