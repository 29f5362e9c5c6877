/**
 * Source maps of lines. A map of every word is larger than the code, and what users need is the line of a stack trace: the
 * sources of Reeve are longer than their compiled form by types alone, so its lines are nearly the same.
 */
import { decode, encode } from '@jridgewell/sourcemap-codec';
import * as z from 'zod';

const mapForm = z.looseObject({ mappings: z.string() });

/** The map with the first position of each line alone. */
export function lineMap(text: string): string {
  const map = mapForm.parse(JSON.parse(text));
  const lines = decode(map.mappings).map((segments) => segments.slice(0, 1));
  return JSON.stringify({ ...map, mappings: encode(lines) });
}
