/** Chance and identity, which a simulation must be able to repeat. */
import type { OrderId, WriteId } from '#core/model/ids.ts';

export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

export interface Ids {
  /** Unique; later ids sort after earlier ones, so that new orders lie together on disk. */
  orderId(): OrderId;
  writeId(): WriteId;
}

/** A cryptographic digest of a text, as lower-case hexadecimal digits. */
export type Digest = (text: string) => string;
