/** The theme: that of the system, until the user chooses another. */
import { effect, signal } from '@preact/signals';
import { siteStore } from '#console/parts/browser-store.ts';

const place = 'reeve-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const chosen = signal(siteStore.get(place));
const systemIsDark = signal(system.matches);

system.addEventListener('change', () => {
  systemIsDark.value = system.matches;
});

export function isDark(): boolean {
  return chosen.value === null ? systemIsDark.value : chosen.value === 'dark';
}

export function toggleTheme(): void {
  const next = isDark() ? 'light' : 'dark';
  // The system's own theme is not stored, so that the page follows the system again.
  const isSystem = (next === 'dark') === systemIsDark.value;
  chosen.value = isSystem ? null : next;
  if (isSystem) siteStore.delete(place);
  else siteStore.set(place, next);
}

effect(() => {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
});
