/** A request without options. The scenario adds the workflow and the details. */

export const plainRequest = {
  key: null,
  replyTo: null,
  correlationId: null,
  priority: 'normal',
  tenant: null,
} as const;
