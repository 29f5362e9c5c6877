import { decode, encode } from '@jridgewell/sourcemap-codec';
import { expect, test } from 'vitest';
import { lineMap } from '#packaging/line-map.ts';

test('each line keeps its first position alone', () => {
  const lines: [number, number, number, number][][] = [
    [
      [0, 0, 3, 2],
      [7, 0, 3, 9],
    ],
    [],
    [[2, 0, 5, 4]],
  ];
  const map = JSON.parse(lineMap(JSON.stringify({ version: 3, mappings: encode(lines) })));
  expect(map.version).toBe(3);
  expect(decode(map.mappings)).toEqual([[[0, 0, 3, 2]], [], [[2, 0, 5, 4]]]);
});
