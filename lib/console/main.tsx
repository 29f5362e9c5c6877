/** The entry point of the console. */
import { render } from 'preact';
import { startFollowing } from '#console/api/live.ts';
import { giveToken, signInFault } from '#console/api/session-token.ts';
import { finishSignIn, signInFaultOf } from '#console/api/sign-in.ts';
import { startKnowing } from '#console/api/signed-in.ts';
import { replaceHash } from '#console/parts/location.ts';
import { App } from './app.tsx';

try {
  const token = await finishSignIn();
  if (token !== null) giveToken(token);
} catch (error) {
  signInFault.value = signInFaultOf(error);
}
replaceHash(location.hash);

const root = document.querySelector('#console');
if (root !== null) render(<App />, root);
startFollowing();
startKnowing();
