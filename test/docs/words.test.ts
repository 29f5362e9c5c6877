/** The documentation uses standard terms. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Private words of earlier pages, each with the term to use. */
const terms: readonly (readonly [RegExp, string])[] = [
  [/\b(un)?told\b/i, 'notified, delivered, undelivered'],
  [/(?<!dead[- ])\bletters?\b/i, 'dead letter, message'],
  [/\b(whoever|whomever)\b/i, 'the role or person meant'],
  [/\bwhatever (is|was|it|they|the|an?) /i, 'regardless of, in every'],
  [/a person is called/i, 'an alert is raised'],
  [/\bforgiv(e|en|es|ing|eness)\b/i, 'excused, not counted'],
  [/\bwhat (it|they|he) (is|are) owed\b/i, 'undelivered messages'],
  [/\bLook further\b/, 'Load more'],
  [/\bdoubled (message|request|repl)/i, 'duplicated'],
];

/** docs/mutation.md and the table of mutants quote names and texts of the code. */
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/agent-python/README.md']
  .concat(readdirSync('docs').map((name) => join('docs', name)))
  .filter((name) => name.endsWith('.md') && name !== join('docs', 'mutation.md'));

/** The sentences of a page, without code. */
const prose = (page: string) =>
  page
    .replaceAll(/^(```).*?^\1 *$/gms, '')
    .replaceAll(/<!-- mutants -->.*<!-- \/mutants -->/gs, '')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\s+/g, ' ');

const privateWords = (page: string) =>
  terms.flatMap(([word, instead]) => {
    const [found] = word.exec(prose(page)) ?? [];
    return found === undefined ? [] : [`${found}: use ${instead}`];
  });

test.each(pages)('%s uses standard terms', (page) => {
  expect(privateWords(readFileSync(page, 'utf8'))).toEqual([]);
});

test('a private word is found, and one in code is not', () => {
  expect(privateWords('Whoever runs it is told of each letter.')).toHaveLength(3);
  expect(privateWords('The event `change-not-told` of a dead letter.')).toEqual([]);
});
