/** A part of the page that scrolls by itself, with the keyboard as well. */
import type { ComponentChildren } from 'preact';

interface Props {
  readonly class: string;
  readonly label: string;
  readonly children: ComponentChildren;
}

export function ScrollBox({ class: className, label, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section class={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
