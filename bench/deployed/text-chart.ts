/** Series as rows of blocks for a terminal. */
import { lengthOf, maxOf, minOf, type Series } from './series.ts';

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const columnsMax = 60;

/**
 * One row for each series, in which each column has the highest of its samples, with the lowest and the highest value. All rows
 * have one scale, so that they can be compared. Rows of zeros are named in one line.
 */
export function textChart(title: string, unit: string, all: readonly Series[]): string {
  const scale = Math.max(0, ...all.map(maxOf));
  const seconds = Math.max(1, lengthOf(all));
  const columns = Math.max(1, Math.min(columnsMax, Math.ceil(seconds)));
  const flat = all.filter((each) => maxOf(each) === 0);
  const rest = all.filter((each) => maxOf(each) > 0);
  const width = Math.max(0, ...rest.map(({ name }) => name.length));
  const columnText = `a column is ${(seconds / columns).toFixed(1)} s`;
  return [
    `${title}, ${unit}; a full block is ${scale.toFixed(1)} ${unit}, ${columnText}`,
    ...rest.map((each) => {
      const [least, most] = [minOf(each).toFixed(1), maxOf(each).toFixed(1)];
      return `${each.name.padEnd(width)} ${rowOf(each, { columns, seconds, scale })} ${least} to ${most}`;
    }),
    ...(flat.length === 0 ? [] : [`always 0: ${flat.map(({ name }) => name).join(', ')}`]),
  ].join('\n');
}

interface Scale {
  readonly columns: number;
  readonly seconds: number;
  readonly scale: number;
}

/** A column without a sample has the value of the one before. */
function rowOf({ points }: Series, { columns, seconds, scale }: Scale): string {
  const highest: (number | null)[] = Array.from({ length: columns }, () => null);
  for (const { atS, value } of points) {
    const column = Math.min(columns - 1, Math.floor((atS / seconds) * columns));
    highest[column] = Math.max(highest[column] ?? 0, value);
  }
  let last = 0;
  return highest
    .map((value) => {
      last = value ?? last;
      return blocks[Math.min(blocks.length - 1, Math.floor((last / scale) * blocks.length))];
    })
    .join('');
}
