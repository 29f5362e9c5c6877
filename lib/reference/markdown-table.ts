/** Tables and code as Markdown. */

/** Each row has as many cells as the head. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const code = (text: string) => `\`${text}\``;

/** A default; what is empty is shown as none. */
export function defaultText(value: unknown): string {
  if (value === undefined || ['""', '{}', '[]'].includes(JSON.stringify(value))) return 'none';
  return code(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
