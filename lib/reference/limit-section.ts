/** The limits with their units. What each is about is its doc comment. */
import { limits } from '#core/model/limits.ts';
import { code, markdownTable } from './markdown-table.ts';

/** @param source the text of lib/core/model/limits.ts */
export function limitSection(source: string): string {
  const comments = commentsOf(source);
  return [
    '## Limits',
    markdownTable(
      ['limit', 'value', 'meaning'],
      Object.entries(limits).map(([name, value]) => {
        const comment = comments.get(name);
        if (comment === undefined) throw new Error(`The limit ${name} has no doc comment.`);
        return [code(name), withUnit(name, value), comment];
      }),
    ),
  ].join('\n\n');
}

/** The doc comments before properties, by the name of the property. */
function commentsOf(source: string): ReadonlyMap<string, string> {
  const found = source.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+):/gm);
  return new Map(
    [...found].map(([, text = '', name = '']) => [
      name,
      text
        .replaceAll(/\n *\*/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ]),
  );
}

const durations = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['s', 1_000],
] as const;

/** The unit is the last part of the name, or the one before `Max` and `Min`. */
function withUnit(name: string, value: number): string {
  const number = value.toLocaleString('en-US');
  if (name.endsWith('Ms')) {
    const found = durations.find(([, ms]) => value >= ms && value % ms === 0);
    return found === undefined
      ? `${number} ms`
      : `${(value / found[1]).toLocaleString('en-US')} ${found[0]}`;
  }
  if (name.includes('Bytes')) {
    return value % 1_024 === 0 ? `${value / 1_024} KiB` : `${number} bytes`;
  }
  if (name.includes('Length')) return `${number} characters`;
  return name.endsWith('PerSecond') ? `${number} per second` : number;
}
