import { limits } from './limits.ts';

/** The form of a submitter's idempotency key, in the API, in queue messages and in the published schemas. */
export const submissionKeyForm = {
  /** Visible ASCII without the comma, with which HTTP joins the values of a repeated header. */
  pattern: /^[!-+\--~]+$/,
  message: `must be one text of 1 to ${limits.submissionKeyLengthMax} visible ASCII characters without spaces and commas`,
} as const;
