/** Links of the documentation, and the sections of it that code, settings and alarms cite. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, headingsOf, linksOf } from '../support/markdown.ts';

/** Without folders whose names begin with a dot: other tests make and remove some meanwhile. */
function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !/(^|\/)(node_modules\/|dist\/|\.)/.test(name))
    .map((name) => join(folder, name));
}

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['docs', 'examples'].flatMap((folder) => filesIn(folder, /\.md$/)),
];
const sources = ['lib', 'lambdas', 'bin', 'bench', 'test'].flatMap((folder) =>
  filesIn(folder, /\.(ts|tsx|py)$/),
);
const read = (file: string) => readFileSync(file, 'utf8');

/** Links of the page that lead nowhere. */
function deadLinks(page: string, text: string): string[] {
  return linksOf(text).flatMap(({ path, anchor }) => {
    const target = path === '' ? page : join(dirname(page), path);
    const told = `${page}: ${path}${anchor === null ? '' : `#${anchor}`}`;
    if (target !== page && !existsSync(target)) return [told];
    if (anchor === null) return [];
    return anchorsOf(target === page ? text : read(target)).has(anchor) ? [] : [told];
  });
}

test.each(pages)('every link of %s leads to a file, and to a heading of it', (page) => {
  expect(deadLinks(page, read(page))).toEqual([]);
});

test('a link to a missing file, heading or image is found, and one in a block of code is no link', () => {
  const page = [
    '# One `two`, three',
    '## Same',
    '## Same',
    '[good](#one-two-three) [again](#same-1) [file](aws.md) ![image](images/order.png)',
    '[heading](#missing) [other](aws.md#missing) [page](missing.md) ![image](images/missing.png)',
    '`[code](missing.md)`',
    '```ts',
    '# no heading',
    '[block](missing.md)',
    '```',
    '[block](#no-heading)',
  ].join('\n');
  expect(deadLinks('docs/page.md', page)).toEqual([
    'docs/page.md: #missing',
    'docs/page.md: aws.md#missing',
    'docs/page.md: missing.md',
    'docs/page.md: images/missing.png',
    'docs/page.md: #no-heading',
  ]);
});

test('every page that the code cites is in the repository, with the section that it names', () => {
  const cited = sources.flatMap((file) =>
    [
      ...read(file)
        .replaceAll(/\n *(\*|\/\/) ?/g, ' ')
        .matchAll(/\bdocs\/[\w-]+\.md(?:(?:, ?|\s)"([^"]+)")?/g),
    ].map(([mention, section]) => ({ file, page: mention.split(/[, ]/, 1)[0] ?? '', section })),
  );
  expect(cited.length).toBeGreaterThan(20);
  const wrong = cited.filter(
    ({ page, section, file }) =>
      file !== 'test/docs/links.test.ts' &&
      (!existsSync(page) || (section !== undefined && !headingsOf(read(page)).includes(section))),
  );
  expect(wrong).toEqual([]);
});

test('no comment cites a page that is not in the repository', () => {
  // The test itself contains no match, because here a backslash follows each word.
  const unknown = sources.filter((file) =>
    /\bDESIGN\b(?!\\)|\bTIGER_STYLE\b(?!\\)|\u00a7/.test(read(file)),
  );
  expect(unknown).toEqual([]);
});
