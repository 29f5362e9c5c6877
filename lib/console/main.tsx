/** The console begins. */
import { render } from 'preact';
import { App } from './app.tsx';
import { startFollowing } from './live.ts';
import { route } from './location.ts';
import { startKnowing } from './principal.ts';
import { routeOf } from './routes.ts';
import { giveToken, signInFailed } from './session-token.ts';
import { finishSignIn } from './sign-in.ts';

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
