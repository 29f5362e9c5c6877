/** Colours on a terminal, unless NO_COLOR is set. */
import { styleText } from 'node:util';
import type { CliEnvironment } from '#cli/environment.ts';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export function paintFor({ terminal, env }: Pick<CliEnvironment, 'terminal' | 'env'>): Paint {
  // https://no-color.org: set, and not empty.
  const isPlain = terminal() === null || (env['NO_COLOR'] ?? '') !== '';
  if (isPlain) return (_, text) => text;
  // Without this, Node would also check the real stdout, which tests do not have.
  return (style, text) => styleText(style, text, { validateStream: false });
}
