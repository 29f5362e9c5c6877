/** A dialog over the page: the browser keeps the focus in it and gives it back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { dialogClosed } from './dialog-closed.ts';

interface Props {
  readonly title: string;
  /** Default: the user cannot close the dialog. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

export function Modal({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => dialogClosed(dialog.current, onClose)}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
