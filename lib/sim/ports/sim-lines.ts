/** The lines of the orders with a singleton key, with conditions as in lib/aws/store/dynamo-lines.ts. */

import { encodeLine, type Line } from '#core/flow/line.ts';
import type { LineName } from '#core/model/ids.ts';
import type { LineChange } from '#ports/state-store.ts';

export interface SimLines {
  line(name: LineName): Line;
  changeLine(change: LineChange): boolean;
  /** The lines that are stored. */
  lines(): readonly Line[];
}

export function simLines(): SimLines & {
  isAsRead(change: LineChange): boolean;
  write(change: LineChange): void;
} {
  const stored = new Map<LineName, Line>();
  const line = (name: LineName): Line => stored.get(name) ?? [];
  const isAsRead = ({ name, before }: LineChange) => encodeLine(before) === encodeLine(line(name));
  const write = ({ name, after }: LineChange): void => {
    if (after.length === 0) stored.delete(name);
    else stored.set(name, after);
  };
  return {
    line,
    isAsRead,
    write,
    lines: () => [...stored.values()],
    changeLine(change) {
      if (!isAsRead(change)) return false;
      write(change);
      return true;
    },
  };
}
