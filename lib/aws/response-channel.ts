/** Where a status message goes, by the name that `replyTo` gives; fixed at deployment. */
export type ResponseChannel =
  /** A queue of the submitter's. */
  | { readonly kind: 'queue'; readonly url: string }
  /** The event bus, for whoever has a rule. */
  | { readonly kind: 'events' }
  /** The FIFO queue of a webhook, whose own function does the telling. */
  | { readonly kind: 'webhook'; readonly url: string };
