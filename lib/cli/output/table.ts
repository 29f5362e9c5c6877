/** Formats aligned columns; colour codes in cells do not count as width. */
import { stripVTControlCharacters } from 'node:util';
import type { Paint } from './paint.ts';

type Row = readonly string[];

const gap = '  ';

const widthOf = (cell: string) => [...stripVTControlCharacters(cell)].length;
const isNumber = (cell: string) => /^\d+(\.\d+)?$/.test(stripVTControlCharacters(cell));

/** Rows with titles; columns of numbers, and their titles, are right-aligned, also where some have none. */
export function tableLines(titles: Row, rows: readonly Row[], paint: Paint): string[] {
  const numeric = titles.map((_, at) => {
    const cells = rows.flatMap((row) => row[at] || []);
    return cells.length > 0 && cells.every(isNumber);
  });
  const [head = '', ...body] = alignedLines([titles, ...rows], numeric);
  return [paint('bold', head), ...body];
}

/** Rows without titles. */
export function alignedLines(rows: readonly Row[], toTheRight: readonly boolean[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
    }
  }
  return rows.map((row) => {
    const cells = row.map((cell, at) => {
      const space = ' '.repeat((widths[at] ?? 0) - widthOf(cell));
      return toTheRight[at] ? `${space}${cell}` : `${cell}${space}`;
    });
    return cells.join(gap).trimEnd();
  });
}
