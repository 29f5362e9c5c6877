/** Colour, where it is wanted: on a terminal, unless NO_COLOR says otherwise. */
import { styleText } from 'node:util';
import type { CliEnvironment } from '#cli/environment.ts';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export function paintFor({ terminal, env }: Pick<CliEnvironment, 'terminal' | 'env'>): Paint {
  // https://no-color.org: set, and not empty.
  const isPlain = terminal() === null || (env['NO_COLOR'] ?? '') !== '';
  if (isPlain) return (_, text) => text;
  // Node would ask the real stdout again, which a test has not.
  return (style, text) => styleText(style, text, { validateStream: false });
}
