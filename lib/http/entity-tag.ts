/** Entity tags of documents that say when they were made: equal but for that, they are the same. */

/** Weak: what it is made of decides, and not every byte of the answer. */
export async function weakTag(document: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const digits = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0'));
  return `W/"${digits.join('')}"`;
}
