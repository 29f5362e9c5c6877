/**
 * What becomes of a delivered message: the same words for a queue's batch and an in-process channel.
 *
 * `done`: its effect is durable, or it never will have one. `retry`: deliver it again. `park`: no
 * redelivery helps; it belongs in a dead-letter queue with the reason (R19).
 */
export type Delivery =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'park'; readonly reason: string };
