/** The files of a function's bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of all of them. */
export const allCode = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');

/** The text of those that a start loads: `index.mjs`, and what it imports and is not imported on demand. */
export function loadedCode(folder: string): string {
  const texts = new Map<string, string>();
  const waiting = ['index.mjs'];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (texts.has(name)) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    texts.set(name, text);
    // esbuild writes static imports as `from"./NAME"` or `import"./NAME"`, and those on demand as `import("./NAME")`.
    for (const [, imported = ''] of text.matchAll(/\b(?:from|import)"\.\/([^"]+)"/g)) {
      waiting.push(imported);
    }
  }
  return [...texts.values()].join('\n');
}
