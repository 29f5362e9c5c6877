/** Random numbers, ids and digests by Node. */
import { hash, randomBytes } from 'node:crypto';
import { orderId, writeId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { Digest, Ids, Random } from '#ports/random.ts';

/** Random numbers that decide about jitter; ids draw random bytes. */
export const systemRandom: Random = { next: () => Math.random() };

/** SHA-256 in hexadecimal digits. */
export const sha256: Digest = (text) => hash('sha256', text, 'hex');

/** Crockford's base 32, without i, l, o and u, which are easily confused. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** @param instance names this process in write ids */
export function systemIds(clock: Clock, instance: string): Ids {
  let writes = 0;
  return {
    orderId: () => orderId(base32(clock.now(), 10) + randomDigits(16)),
    writeId: () => {
      writes += 1;
      return writeId(`${instance}.${writes.toString(36)}`);
    },
  };
}

/** A unique name of a process: 60 random bits. */
export function instanceName(): string {
  return randomDigits(12);
}

function base32(value: number, length: number): string {
  let text = '';
  for (let left = value, at = 0; at < length; at += 1, left = Math.floor(left / 32)) {
    text = digits.charAt(left % 32) + text;
  }
  return text;
}

let pool = Buffer.alloc(0);
let used = 0;

/** Draws random bytes in bulk, because one system call costs more than a transition. */
function randomDigits(length: number): string {
  if (used + length > pool.length) {
    pool = randomBytes(4096);
    used = 0;
  }
  let text = '';
  for (const end = used + length; used < end; used += 1) {
    text += digits.charAt((pool[used] ?? 0) % 32);
  }
  return text;
}
