/** Sources of randomness and ids, which a simulation replaces by reproducible ones. */
import type { OrderId, WriteId } from '#core/model/ids.ts';

/** Random numbers. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

/** New ids. */
export interface Ids {
  /** Unique. Later ids sort after earlier ones, so that new orders are adjacent on disk. */
  orderId(): OrderId;
  writeId(): WriteId;
}

/** A cryptographic digest of a text, as lower-case hexadecimal digits. */
export type Digest = (text: string) => string;
