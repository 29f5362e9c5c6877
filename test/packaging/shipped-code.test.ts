import { decode, encode } from '@jridgewell/sourcemap-codec';
import { expect, test } from 'vitest';
import { lineMap, shippedCode } from '#packaging/shipped-code.ts';

test('each line keeps its first position alone', () => {
  const lines: [number, number, number, number][][] = [
    [
      [0, 0, 3, 2],
      [7, 0, 3, 9],
    ],
    [],
    [[2, 0, 5, 4]],
  ];
  const map = JSON.parse(lineMap(JSON.stringify({ version: 3, mappings: encode(lines) }), 'a.ts'));
  expect(map).toMatchObject({ version: 3, sources: ['a.ts'] });
  expect(decode(map.mappings)).toEqual([[[0, 0, 3, 2]], [], [[2, 0, 5, 4]]]);
});

test('code is shipped without comments, and its lines lead to those of the source', () => {
  // The compiler has left out one line of types before line 3 of the source.
  const within = Buffer.from(
    JSON.stringify({
      version: 3,
      sources: ['../x/a.ts'],
      names: [],
      mappings: encode([[], [[0, 0, 2, 0]], [[0, 0, 4, 0]]]),
    }),
  ).toString('base64');
  const compiled = `/** What it is. */\nexport const a = 1;\nexport const b = 2;\n//# sourceMappingURL=data:application/json;base64,${within}\n`;
  const { code, map } = shippedCode('lib/a.js', compiled);
  expect(code).toBe(
    'const a = 1;\nconst b = 2;\nexport {\n  a,\n  b\n};\n//# sourceMappingURL=a.js.map\n',
  );
  const { mappings, sources } = JSON.parse(map);
  expect(sources).toEqual(['a.ts']);
  expect(
    decode(mappings)
      .slice(0, 2)
      .map(([first]) => first?.[2]),
  ).toEqual([2, 4]);
});
