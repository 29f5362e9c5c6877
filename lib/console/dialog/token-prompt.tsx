/** Asks the user to sign in, or for a token, when the API requires one. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { giveToken, signInFault, tokenWanted, wasRefused } from '#console/api/session-token.ts';
import { beginSignIn, offeredSignIn, type SignIn, signInFaultOf } from '#console/api/sign-in.ts';
import { Modal } from './modal.tsx';

export function TokenPrompt() {
  const offered = useSignal<SignIn | null | undefined>(undefined);
  useEffect(() => {
    if (!tokenWanted.value || offered.value !== undefined) return;
    void offeredSignIn().then((signIn) => {
      offered.value = signIn;
    });
  }, [tokenWanted.value]);
  if (!tokenWanted.value || offered.value === undefined) return null;
  return offered.value === null ? <AskToken /> : <AskSignIn signIn={offered.value} />;
}

function AskSignIn({ signIn }: { readonly signIn: SignIn }) {
  return (
    <Modal title="Sign in to Reeve">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          beginSignIn(signIn).catch((error: unknown) => {
            signInFault.value = signInFaultOf(error);
          });
        }}
      >
        <p>
          {signInFault.value !== null && `${signInFault.value} `}
          The provider returns you to this page. The token is stored in this tab only, until the tab
          is closed.
        </p>
        <div class="dialog-actions">
          <button class="primary" type="submit">
            Sign in
          </button>
        </div>
      </form>
    </Modal>
  );
}

function AskToken() {
  const field = useRef<HTMLInputElement>(null);
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
          {wasRefused() ? 'The token was refused. ' : 'The operator of this Reeve gives you one. '}
          The token is stored in this tab only, until the tab is closed.
        </p>
        <label class="field">
          Token
          <input ref={field} type="password" autocomplete="off" required />
        </label>
        <div class="dialog-actions">
          <button class="primary" type="submit">
            Continue
          </button>
        </div>
      </form>
    </Modal>
  );
}
