/** Doc comments as Markdown. */

/** A doc comment, without its stars and tags. */
export interface DocComment {
  readonly text: string;
  /** Such as `code: for programs`. */
  readonly parameters: readonly string[];
  readonly returns: string | null;
  /** Such as `DefinitionError: when the definition is invalid`. */
  readonly throws: readonly string[];
}

/** @param link the Markdown that leads to an item of the package, or its name alone */
export function docComment(comment: string, link: (name: string) => string): DocComment {
  const text = comment
    .replace(/^\/\*\*[ \t]*\n?/, '')
    .replace(/\s*\*\/\s*$/, '')
    .replaceAll(/^ \* ?/gm, '')
    .replaceAll(/^Constructs a new instance of the `\w+` class$/gm, '');
  const [summary = '', ...blocks] = parts(text);
  const of = (tag: string) =>
    blocks
      .filter((block) => block.startsWith(`@${tag}`))
      .map((block) => markdown(block.slice(tag.length + 1), link));
  return {
    text: [
      [markdown(summary, link), ...of('default').map(defaultText)].filter(Boolean).join(' '),
      ...of('remarks'),
    ]
      .filter(Boolean)
      .join('\n\n'),
    parameters: of('param').map((each) => each.replace(/^(\w+) - /, '`$1`: ')),
    returns: of('returns').at(0) ?? null,
    throws: of('throws').map((each) => each.replace(/^\{(\w+)\} /, (_, name) => `${link(name)}: `)),
  };
}

const code = /(```.*?```|`[^`]*`)/s;

/** The text before the first tag, and each tag with its text. A tag may stand at the end of a line, and in code is none. */
function parts(text: string): string[] {
  const marked = `\n${text}`
    .split(code)
    .map((part) =>
      part.startsWith('`')
        ? part
        : part.replaceAll(/\s+(?=@(?:param|returns|throws|remarks|default)\b)/g, cut),
    );
  return marked.join('').split(cut);
}
/** No comment has it. */
const cut = '\0';

const defaultText = (value: string) => `Default: ${value}${value.endsWith('.') ? '' : '.'}`;

/** Outside of code, a document is a link, and what Vue would take for a tag or an expression is text. */
function markdown(text: string, link: (name: string) => string): string {
  const prose = (part: string) =>
    part
      .replaceAll('<', '&lt;')
      .replaceAll('{{', '&#123;&#123;')
      .replaceAll(/\bdocs\/([\w-]+)\.md\b/g, '[$&](/$1)');
  return text
    .replaceAll(/\{@link ([\w.]+)\}/g, (_, name) => link(name))
    .split(code)
    .map((part) => (part.startsWith('`') ? part : prose(part)))
    .join('')
    .trim();
}

/** What a file is for: its first doc comment in one line, without the name of the file. */
export function fileSummary(file: string): string {
  const [comment = ''] = /^\/\*\*.*?\*\//s.exec(file) ?? [];
  const text = docComment(comment, (name) => `\`${name}\``)
    .text.replaceAll(/\s+/g, ' ')
    .replace(/^`[^`]*`: /, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
