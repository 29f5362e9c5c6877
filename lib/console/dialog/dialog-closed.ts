/** What follows when the browser has closed a dialog by itself. */

/**
 * A second Escape closes a dialog in Chrome without a `cancel` event that could be prevented. One that the user cannot
 * close is shown again; the page learns of any other, and removes it.
 *
 * @param dialog null: the page has removed it already
 */
export function dialogClosed(
  dialog: { showModal(): void } | null,
  onClose: (() => void) | undefined,
): void {
  if (dialog === null) return;
  if (onClose === undefined) dialog.showModal();
  else onClose();
}
