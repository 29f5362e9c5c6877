/** The pages of the package: what each entry point exports, with its signature, its doc comment and its options. */

import type { ApiEntry, ApiItem, ApiMember, ExcerptToken } from './api-model.ts';
import { docComment } from './doc-comment.ts';
import { anchorOf } from './heading-anchor.ts';
import { type EntryPage, entryPages } from './site-pages.ts';

const groups = [
  ['Functions', 'Function'],
  ['Classes', 'Class'],
  ['Interfaces', 'Interface'],
  ['Types', 'TypeAlias'],
  ['Constants', 'Variable'],
] as const satisfies readonly (readonly [title: string, kind: ApiItem['kind']])[];

/** By this class, the style sheet wraps the lines of declarations. */
const frontmatter = '---\npageClass: package\n---';

const none: ApiEntry = { exported: [], named: [] };

type Link = (name: string) => string;

/** @param summary what the entry point is for */
export function packagePage(
  { entry }: EntryPage,
  entries: ReadonlyMap<string, ApiEntry>,
  summary: string,
): string {
  const { exported, named } = entries.get(entry) ?? none;
  const link: Link = (name) => {
    const address = addressOf(name, entry, entries);
    return address === null ? `\`${name}\`` : `[\`${name}\`](${address})`;
  };
  const parts = groups.flatMap(([title, kind]) => {
    const items = exported.filter((item) => item.kind === kind);
    return items.length === 0 ? [] : [`## ${title}`, ...sectionsOf(items, link)];
  });
  const others =
    named.length === 0
      ? []
      : [
          '## Named by the exports',
          'The exports above name these; the package does not export them.',
          ...sectionsOf(named, link),
        ];
  return [frontmatter, `# ${entry}`, summary, ...parts, ...others, ''].join('\n\n');
}

/** The list of the entry points. */
export function packageIndex(summaries: ReadonlyMap<string, string>): string {
  const rows = entryPages.map(
    ({ entry, path }) => `| [\`${entry}\`](/${path}) | ${summaries.get(entry)} |`,
  );
  return `# The package

The package \`reeve\` has these entry points. These pages are made from the declarations and doc comments of the built package.

| import | what it has |
| --- | --- |
${rows.join('\n')}
`;
}

/** A name that several entry points export is found on the same page first. */
function addressOf(
  name: string,
  here: string,
  entries: ReadonlyMap<string, ApiEntry>,
): string | null {
  const own = anchorIn(headingsOf(here, entries), name);
  if (own !== null) return `#${own}`;
  const page = entryPages.find(({ entry }) =>
    entries.get(entry)?.exported.some((each) => each.name === name),
  );
  if (page === undefined) return null;
  return `/${page.path}#${anchorIn(headingsOf(page.entry, entries), name)}`;
}

/** All headings of a page, in their order. */
function headingsOf(entry: string, entries: ReadonlyMap<string, ApiEntry>): readonly string[] {
  const { exported, named } = entries.get(entry) ?? none;
  const ordered = groups.flatMap(([title, kind]) => [
    title,
    ...exported.filter((item) => item.kind === kind).map(({ name }) => name),
  ]);
  return [...new Set([entry, ...ordered, ...named.map(({ name }) => name)])];
}

/** Headings that differ in the case of their letters alone, or in a `/`, have the same anchor: the later one gets a number. */
function anchorIn(headings: readonly string[], name: string): string | null {
  if (!headings.includes(name)) return null;
  const anchor = anchorOf(name);
  const before = headings
    .slice(0, headings.indexOf(name))
    .filter((each) => anchorOf(each) === anchor);
  return before.length === 0 ? anchor : `${anchor}-${before.length}`;
}

/** Overloads of a function share a heading. */
function sectionsOf(items: readonly ApiItem[], link: Link): readonly string[] {
  return [...Map.groupBy(items, ({ name }) => name)].flatMap(([name, overloads]) => [
    `### ${name}`,
    ...overloads.flatMap((item) => section(item, link)),
  ]);
}

function section(item: ApiItem, link: Link): readonly string[] {
  const declaration = item.excerptTokens
    .map(({ text }) => text)
    .join('')
    .replace(/^export (declare )?/, '')
    .trim();
  const { text, tags } = description(item.docComment, link);
  return [
    text,
    `\`\`\`ts\n${declaration}\n\`\`\``,
    ...tags,
    ...types(item, link),
    item.members.map((each) => member(each, link)).join('\n'),
  ].filter(Boolean);
}

function description(comment: string, link: Link): { text: string; tags: readonly string[] } {
  const { text, parameters, returns, throws } = docComment(comment, link);
  const tags = [
    list('Parameters', parameters),
    returns === null ? '' : `Returns ${returns}`,
    list('Throws', throws),
  ];
  return { text, tags };
}

const list = (title: string, items: readonly string[]) =>
  items.length === 0 ? '' : `${title}:\n\n${items.map((each) => `- ${indented(each)}`).join('\n')}`;

/** The types that a declaration names, because a block of code has no links. */
function types({ name, excerptTokens }: ApiItem, link: Link): readonly string[] {
  const links = [...new Set(excerptTokens.filter(isOwn).map(({ text }) => text))]
    .filter((each) => each !== name)
    .map(link)
    .filter((each) => each.startsWith('['));
  return links.length === 0 ? [] : [`See ${links.join(', ')}.`];
}

const isOwn = ({ canonicalReference = '' }: ExcerptToken) =>
  canonicalReference.startsWith('reeve!');

function member({ excerptTokens, docComment: comment }: ApiMember, link: Link): string {
  const signature = excerptTokens
    .map((token) => {
      const text = escaped(token.text);
      return isOwn(token) ? link(token.text).replace(/`.*`/, text) : text;
    })
    .join('')
    .replace(/^(readonly )+/, '')
    .replace(/&#59;$/, '');
  const { text, tags } = description(comment, link);
  const paragraphs = [text, ...tags].filter(Boolean).map((each) => `\n\n  ${indented(each)}`);
  return `- <code v-pre>${signature}</code>${paragraphs.join('')}\n`;
}

/** Text that neither Markdown nor HTML interprets, in one line. */
const escaped = (text: string) =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[^A-Za-z0-9 ]/g, (each) => `&#${each.codePointAt(0)};`);

const indented = (text: string) => text.replaceAll('\n', '\n  ');
