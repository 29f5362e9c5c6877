/** Replaces sensitive values. */
export const redacted = '[redacted]';
