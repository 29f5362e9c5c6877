/** Aligned columns. Cells may be coloured: only what is seen counts as width. */
import { stripVTControlCharacters } from 'node:util';
import type { Paint } from './paint.ts';

type Row = readonly string[];

const gap = '  ';

/** Numbers go to the right, so that their digits stand below each other. */
const isNumber = (cell: string) => /^\d+(\.\d+)?$/.test(stripVTControlCharacters(cell));
const widthOf = (cell: string) => [...stripVTControlCharacters(cell)].length;

/** Rows below titles, as lines. */
export function tableLines(titles: Row, rows: readonly Row[], paint: Paint): string[] {
  const [head = '', ...body] = alignedLines([titles.map((title) => title.toUpperCase()), ...rows]);
  return [paint('bold', head), ...body];
}

/** Rows without titles, as lines. */
export function alignedLines(rows: readonly Row[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
    }
  }
  return rows.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

function padded(cell: string, width: number): string {
  const space = ' '.repeat(width - widthOf(cell));
  return isNumber(cell) ? `${space}${cell}` : `${cell}${space}`;
}
