/** The console begins. */
import { render } from 'preact';
import { App } from './app.tsx';
import { startFollowing } from './live.ts';

const root = document.querySelector('#console');
if (root !== null) render(<App />, root);
startFollowing();
