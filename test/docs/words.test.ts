/** The documentation uses standard terms. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scenario } from '../cli/scenario.ts';

/** Private words of earlier pages, each with the term to use. */
const terms: readonly (readonly [RegExp, string])[] = [
  [/\b(un)?told\b/i, 'notified, delivered, undelivered'],
  [/(?<!dead[- ])\bletters?\b/i, 'dead letter, message'],
  [/\b(whoever|whomever)\b/i, 'the role or person meant'],
  [/\bwhatever (is|was|it|they|the|an?) /i, 'regardless of, in every'],
  [/a person is called/i, 'an alert is raised'],
  [/\bforgiv(e|en|es|ing|eness)\b/i, 'interrupted, not counted'],
  [/\bwhat (it|they|he) (is|are) owed\b/i, 'undelivered messages'],
  [/\bLook further\b/, 'Load more'],
  [/\bdoubled (message|request|repl)/i, 'duplicated'],
];

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/agent-python/README.md']
  .concat(readdirSync('docs').map((name) => join('docs', name)))
  .filter((name) => name.endsWith('.md'));

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

/** Every human-readable text of a document. */
function textsOf(document: unknown): string[] {
  const texts: string[] = [];
  JSON.stringify(document, (key, value: unknown) => {
    const isText = ['title', 'summary', 'description'].includes(key);
    if (isText && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

test.each(readdirSync('docs/contracts'))('the contract %s uses standard terms', (name) => {
  const texts = textsOf(JSON.parse(readFileSync(join('docs/contracts', name), 'utf8')));
  expect(texts.length).toBeGreaterThan(5);
  expect(privateWords(texts.join('\n\n'))).toEqual([]);
});

test('the help of every command uses standard terms', async () => {
  const { run } = scenario();
  const { stdout } = await run('--help');
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  expect(commands.length).toBeGreaterThan(10);
  for (const command of ['', ...commands]) {
    expect(privateWords((await run(`${command} --help`)).stdout)).toEqual([]);
  }
});

test('a private word is found, and one in code is not', () => {
  expect(privateWords('Whoever runs it is told of each letter.')).toHaveLength(3);
  expect(privateWords('The event `notification-failed` of a dead letter.')).toEqual([]);
});
