/** The signed-in principal; the console offers only what it may do. */
import { effect, signal } from '@preact/signals';
import { get } from './api-client.ts';
import type { Principal } from './documents.ts';
import { follow } from './live.ts';
import { sessions } from './session-token.ts';

/** Null until the API has answered. */
export const principal = signal<Principal | null>(null);

/** True when resubmit, correct and cancel are offered; the API itself decides. */
export function mayOperate(): boolean {
  const role = principal.value?.role;
  return role === 'operator' || role === 'iam';
}

async function learn(): Promise<void> {
  const answer = await get<Principal>('/principal');
  if (answer.kind === 'ok') principal.value = answer.body;
}

/** Requests the principal at once and with each new token, until there is an answer. */
export function startKnowing(): void {
  effect(() => {
    // A new token may belong to another principal.
    if (sessions.value > 0) principal.value = null;
    void learn();
  });
  follow({
    refresh() {
      if (principal.value === null) void learn();
    },
  });
}
