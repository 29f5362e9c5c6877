/** Who looks, as the API knows that one: what it may not do is not offered. */
import { effect, signal } from '@preact/signals';
import { get } from './api-client.ts';
import type { Principal } from './documents.ts';
import { follow } from './live.ts';
import { sessions } from './session-token.ts';

/** Null until the API has said it. */
export const principal = signal<Principal | null>(null);

/** Resubmit, correct, cancel. The API decides; this only leaves out what it would refuse. */
export function mayOperate(): boolean {
  const role = principal.value?.role;
  return role === 'operator' || role === 'iam';
}

async function learn(): Promise<void> {
  const answer = await get<Principal>('/principal');
  if (answer.kind === 'ok') principal.value = answer.body;
}

/** Asks at once, with each token that is given, and until there was an answer. */
export function startKnowing(): void {
  effect(() => {
    // A new token may be somebody else's.
    if (sessions.value > 0) principal.value = null;
    void learn();
  });
  follow({
    refresh() {
      if (principal.value === null) void learn();
    },
  });
}
