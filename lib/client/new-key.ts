/** Idempotency keys of the client. */

/** A random UUID. */
export function newKey(): string {
  // Browsers leave it out of pages that came by plain HTTP.
  const { randomUUID }: Partial<typeof crypto> = crypto;
  return randomUUID?.call(crypto) ?? uuidOf(crypto.getRandomValues(new Uint8Array(16)));
}

/** Marked as a random one, by RFC 9562. */
function uuidOf(bytes: Uint8Array): string {
  const marked = bytes.map((byte, at) => {
    if (at === 6) return (byte & 0x0f) | 0x40;
    return at === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  const digits = [...marked].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
