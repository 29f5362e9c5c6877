/** The queue ages of `npm run bench:deployed`: their charts, and the rate that follows them. */
import { expect, test } from 'vitest';
import { firstPace, nextPace } from '../../bench/deployed/pace.ts';
import type { Series } from '../../bench/deployed/series.ts';
import { svgChart } from '../../bench/deployed/svg-chart.ts';
import { textChart } from '../../bench/deployed/text-chart.ts';

const seriesOf = (name: string, values: readonly number[]): Series => ({
  name,
  points: values.map((value, atS) => ({ atS, value })),
});

test('a row has a block for each sample, by one scale for all rows, with its lowest and highest value', () => {
  const rows = [
    seriesOf('ready', [0, 1, 2, 3, 4, 5, 6, 8]),
    seriesOf('reply', [2, 2, 2, 2, 2, 2, 2, 4]),
  ];
  expect(textChart('Age', 's', rows).split('\n')).toEqual([
    'Age, s; a full block is 8.0 s, a column is 1.0 s',
    'ready ▁▂▃▄▅▆█ 0.0 to 8.0',
    'reply ▃▃▃▃▃▃▅ 2.0 to 4.0',
  ]);
});

test('a column of a long series has the highest of its samples', () => {
  const values = Array.from({ length: 601 }, (_, at) => (at === 305 ? 10 : 1));
  const [, row = ''] = textChart('Age', 's', [seriesOf('ready', values)]).split('\n');
  expect(row).toBe(`ready ${'▁'.repeat(30)}█${'▁'.repeat(29)} 1.0 to 10.0`);
});

test('a time without a sample has the value before, and rows of zeros are named together', () => {
  const gap: Series = {
    name: 'ready',
    points: [
      { atS: 0, value: 4 },
      { atS: 3, value: 4 },
      { atS: 4, value: 4 },
    ],
  };
  const chart = textChart('Age', 's', [gap, seriesOf('low', [0, 0]), seriesOf('high', [0])]);
  expect(chart.split('\n').slice(1)).toEqual(['ready ████ 4.0 to 4.0', 'always 0: low, high']);
});

test('a chart of nothing is a chart', () => {
  expect(textChart('Age', 's', [])).toBe('Age, s; a full block is 0.0 s, a column is 1.0 s');
  expect(svgChart('Age', 's', [], { atS: 0, text: 'end' })).toContain('</svg>');
});

test('the image has a strip for each series, in which a higher value is higher up', () => {
  const svg = svgChart(
    'Age <of> a & b',
    's',
    [seriesOf('a', [0, 5, 10]), seriesOf('b', [5, 5, 5])],
    {
      atS: 1,
      text: 'last offer',
    },
  );
  const lines = [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points = '']) =>
    points.split(' ').map((point) => point.split(',').map(Number)),
  );
  const [first = [], second = []] = lines;
  expect(first.map(([x]) => x)).toEqual([190, 510, 830]);
  expect(first.map(([, y]) => y)).toEqual([84, 62, 40]);
  expect(second.map(([, y]) => y)).toEqual([116, 116, 116]);
  expect(svg).toContain('Age &lt;of> a &amp; b');
  expect(svg).toContain('at most 10.0 s');
  expect(svg).toContain('<line x1="510.0" x2="510.0"');
});

test('the rate is doubled until messages wait, then follows the limit', () => {
  const rates = (ages: readonly number[]) => {
    let pace = firstPace;
    return ages.map((age) => {
      pace = nextPace(pace, age);
      return Math.round(pace.perSecond * 10) / 10;
    });
  };
  expect(rates([0.2, 0.4, 0.8, 0.4, 3, 1])).toEqual([8, 16, 16, 16.8, 13.4, 13.4]);
  expect(rates(Array.from({ length: 20 }, () => 60)).at(-1)).toBe(1);
});
