/** Asks for the token where the API needs one. */
import { useRef } from 'preact/hooks';
import { Modal } from './modal.tsx';
import { giveToken, tokenWanted, wasRefused } from './session-token.ts';

export function TokenPrompt() {
  const field = useRef<HTMLInputElement>(null);
  if (!tokenWanted.value) return null;
  return (
    <Modal title="This Reeve needs a token">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const token = field.current?.value.trim() ?? '';
          if (token !== '') giveToken(token);
        }}
      >
        <p>
          {wasRefused() ? 'That token was refused. ' : 'It was started with REEVE_TOKEN. '}
          The token is kept until this tab is closed, and nowhere else.
        </p>
        <label class="field">
          Token
          <input ref={field} type="password" autocomplete="off" required />
        </label>
        <div class="dialog-actions">
          <button class="primary" type="submit">
            Go on
          </button>
        </div>
      </form>
    </Modal>
  );
}
