/**
 * The form in which code is shipped: without comments, which users read in the declarations, and with a source map of lines. A
 * map of every word is larger than the code, and what users need is the line of a stack trace.
 */
import { basename } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { transformSync } from 'esbuild';
import * as z from 'zod';

const mapForm = z.looseObject({ mappings: z.string() });

/** One file and its map. */
export interface ShippedCode {
  readonly code: string;
  readonly map: string;
}

/**
 * @param file its path
 * @param compiled with its source map within
 */
export function shippedCode(file: string, compiled: string): ShippedCode {
  const { code, map } = transformSync(compiled, {
    ...{ loader: 'js', format: 'esm', target: 'node22', sourcemap: 'external' },
    ...{ sourcefile: file, legalComments: 'none' },
  });
  const name = basename(file);
  return {
    code: `${code}//# sourceMappingURL=${name}.map\n`,
    map: lineMap(map, name.replace(/\.js$/, '.ts')),
  };
}

/** The map with the first position of each line alone. */
export function lineMap(text: string, source: string): string {
  const { mappings } = mapForm.parse(JSON.parse(text));
  const lines = decode(mappings).map((segments) => segments.slice(0, 1));
  return JSON.stringify({ version: 3, sources: [source], names: [], mappings: encode(lines) });
}
