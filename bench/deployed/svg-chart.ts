/** Series as an SVG image: a strip for each, one above the other, with one scale and one axis of time. */
import { lengthOf, maxOf, type Series } from './series.ts';

/** Pixels. */
const size = { left: 190, plot: 640, right: 110, top: 40, strip: 44, gap: 10, bottom: 30 } as const;
const ticks = 5;

/** @param endS a dashed line at this time, s, with `endText` */
export function svgChart(
  title: string,
  unit: string,
  all: readonly Series[],
  end: { readonly atS: number; readonly text: string },
): string {
  const scale = Math.max(Number.EPSILON, ...all.map(maxOf));
  const seconds = Math.max(1, lengthOf(all));
  const xOf = (atS: number) => size.left + (atS / seconds) * size.plot;
  const bottom = size.top + all.length * (size.strip + size.gap);
  const width = size.left + size.plot + size.right;
  const height = bottom + size.bottom;
  const at = Array.from({ length: ticks + 1 }, (_, tick) => (seconds * tick) / ticks);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(
      10,
      22,
      `${title}, each strip from 0 to ${scale.toFixed(1)} ${unit}`,
      'font-weight="bold"',
    ),
    ...all.map((series, row) => stripOf(series, { row, scale, unit, xOf })),
    `<line x1="${px(xOf(end.atS))}" x2="${px(xOf(end.atS))}" y1="${size.top}" y2="${bottom}" stroke="#888" stroke-dasharray="4 3"/>`,
    text(xOf(end.atS), size.top - 4, end.text, 'text-anchor="middle" fill="#666"'),
    ...at.map((s) => text(xOf(s), bottom + 16, `${Math.round(s)} s`, 'text-anchor="middle"')),
    '</svg>\n',
  ].join('\n');
}

interface Strip {
  readonly row: number;
  readonly scale: number;
  readonly unit: string;
  readonly xOf: (atS: number) => number;
}

function stripOf(series: Series, { row, scale, unit, xOf }: Strip): string {
  const floor = size.top + row * (size.strip + size.gap) + size.strip;
  const line = series.points
    .map(({ atS, value }) => `${px(xOf(atS))},${px(floor - (value / scale) * size.strip)}`)
    .join(' ');
  const most = `at most ${maxOf(series).toFixed(1)} ${unit}`;
  return [
    `<line x1="${size.left}" x2="${size.left + size.plot}" y1="${floor}" y2="${floor}" stroke="#ccc"/>`,
    `<polyline points="${line}" fill="none" stroke="#1f5fa8"/>`,
    text(size.left - 8, floor - 4, series.name, 'text-anchor="end"'),
    text(size.left + size.plot + 8, floor - 4, most, 'fill="#666"'),
  ].join('\n');
}

const px = (value: number) => value.toFixed(1);

function text(x: number, y: number, words: string, attributes: string): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${px(x)}" y="${px(y)}" ${attributes}>${escaped}</text>`;
}
