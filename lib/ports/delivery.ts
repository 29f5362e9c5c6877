/**
 * The result of processing a message from a queue or an in-process channel.
 *
 * `done`: its effect is durable, or it will never have one. `retry`: deliver it again. `park`: no
 * redelivery helps, so move it to the dead-letter queue with the reason (R19).
 */
export type Delivery =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'park'; readonly reason: string };
