/** The lines of the orders with a singleton key: small rows that are read when a decision needs them, and never cached. */

import { decodeLine, encodeLine, type Line, without } from '#core/flow/line.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import type { LineName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { lineChecksum } from '#embedded/integrity/checksums.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { intactLine } from '#embedded/integrity/intact-rows.ts';
import type { Statements } from '#embedded/statements.ts';
import type { LineChange } from '#ports/state-store.ts';

/** The rows of the lines; each method is a part of the transaction of its caller. */
export interface Lines {
  /** @throws {CorruptDataError} when the row is damaged */
  read(name: LineName): Line;
  /** Whether the line is as it was read. */
  isAsRead(change: LineChange): boolean;
  write(change: Pick<LineChange, 'name' | 'after'>): void;
  /** Takes out an order that is deleted: its end may have been lost. A damaged line is reported, and stays as it is. */
  forget(record: ProcessRecord): void;
}

/** Reads and writes the table of lines. */
export function linesOf(sql: Statements, damage: DamageReport): Lines {
  const read = (name: LineName): Line =>
    damage.row('Lines', name, () => {
      const row = sql.line.get(name);
      return row === undefined ? [] : decodeLine(intactLine(row));
    });
  const write: Lines['write'] = ({ name, after }) => {
    if (after.length === 0) {
      sql.deleteLine.run(name);
      return;
    }
    const text = encodeLine(after);
    sql.putLine.run(name, text, lineChecksum(name, text));
  };
  return {
    read,
    write,
    isAsRead: ({ name, before }) => encodeLine(read(name)) === encodeLine(before),
    forget({ orderId, turn }) {
      if (turn === undefined) return;
      try {
        const line = read(turn.line);
        if (line.includes(orderId)) write({ name: turn.line, after: without(line, orderId) });
      } catch (error) {
        // It must not keep all the orders that are deleted with this one.
        if (!(error instanceof CorruptDataError)) throw error;
      }
    },
  };
}
