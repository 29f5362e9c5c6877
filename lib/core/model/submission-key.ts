/** The form of a submitter's idempotency key, the same by the API, by queue and in the published documents. */
import { limits } from './limits.ts';

export const submissionKeyForm = {
  /** Visible ASCII but the comma, with which HTTP joins a header that was sent twice. */
  pattern: /^[!-+\--~]+$/,
  message: `must be one text of 1 to ${limits.submissionKeyLengthMax} visible ASCII characters without spaces and commas`,
} as const;
