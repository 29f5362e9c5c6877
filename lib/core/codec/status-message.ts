/** Status messages. Every channel and every retry sends the same text. */
import { type Change, statusId } from '#core/model/change.ts';
import { statusCodec } from './messages/change-codec.ts';

/** A change, ready to be sent to a response channel. */
export interface StatusMessage {
  readonly change: Change;
  /** Unique for the change, and the same for every delivery. */
  readonly id: string;
  /** The change as `statusCodec` encodes it. */
  readonly body: string;
}

/** Encodes the change once, on the first access to `body`. */
export function statusMessage(change: Change): StatusMessage {
  let body: string | undefined;
  return {
    change,
    id: statusId(change),
    get body() {
      body ??= statusCodec.encode(change);
      return body;
    },
  };
}
