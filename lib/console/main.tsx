/** The entry point of the console. */
import { render } from 'preact';
import { startFollowing } from '#console/api/live.ts';
import { giveToken, signInFailed } from '#console/api/session-token.ts';
import { finishSignIn } from '#console/api/sign-in.ts';
import { startKnowing } from '#console/api/signed-in.ts';
import { route } from '#console/parts/location.ts';
import { routeOf } from '#console/parts/page-paths.ts';
import { App } from './app.tsx';

try {
  const token = await finishSignIn();
  if (token !== null) giveToken(token);
} catch {
  signInFailed.value = true;
}
route.value = routeOf(location.hash);

const root = document.querySelector('#console');
if (root !== null) render(<App />, root);
startFollowing();
startKnowing();
