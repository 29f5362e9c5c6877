/** The signs of the console: drawn, so that they look the same with every font. */
import { type IconName, iconPaths } from './icon-paths.ts';

/** Decoration only: the text beside it says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={iconPaths[name]} />
    </svg>
  );
}
