/** A square button with an icon and no text. */
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

interface Props {
  /** Says what it does: for screen readers, and shown when it is pointed at. */
  readonly label: string;
  readonly icon: IconName;
  readonly onClick: () => void;
}

export function IconButton({ label, icon, onClick }: Props) {
  return (
    <button class="quiet square" type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
