/** A status message as a response channel is given it: of one text, whatever channel it is and however often it is tried. */
import { type Change, statusId } from '#core/model/change.ts';
import { statusCodec } from './message-codec.ts';

export interface StatusMessage {
  readonly change: Change;
  /** The same each time it is sent, and no other's. */
  readonly id: string;
  /** The change as `statusCodec` encodes it. */
  readonly body: string;
}

/** Encodes the change once, when its text is first asked for. */
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
