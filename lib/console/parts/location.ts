/** The present route; it follows the address. */
import { signal } from '@preact/signals';
import { routeOf } from './page-paths.ts';

export const route = signal(routeOf(location.hash));

let shown = location.hash;
let stays = 0;

function show(hash: string): void {
  shown = hash;
  route.value = routeOf(hash);
}

addEventListener('hashchange', () => {
  if (stays === 0) return show(location.hash);
  // The browser has gone there already, and does not say whether it went back or ahead.
  history.pushState(null, '', `${location.pathname}${shown}`);
});

export function goTo(hash: string): void {
  location.hash = hash;
}

/** Replaces the route, so that Back leads to the page before. */
export function replaceHash(hash: string): void {
  history.replaceState(null, '', hash);
  show(hash);
}

/** The browser asks before it closes or reloads the page. */
const askFirst = (event: Event) => event.preventDefault();

/** Keeps the present page, also when the address changes, until the returned function is called: for work that ends with the page. */
export function stay(): () => void {
  stays += 1;
  addEventListener('beforeunload', askFirst);
  return () => {
    stays -= 1;
    if (stays === 0) removeEventListener('beforeunload', askFirst);
  };
}
