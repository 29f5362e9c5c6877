/** Doc comments as Markdown. */
import { expect, test } from 'vitest';
import { docComment, fileSummary } from '#docs-site/doc-comment.ts';

const link = (name: string) => `[${name}](#${name.toLowerCase()})`;

test('a doc comment becomes a text, its parameters and its errors', () => {
  const comment = `/**
 * Starts a {@link Thing}<T>; see \`Map<string, {{}}>\` and docs/aws.md.
 *
 * @param name - of the thing
 *
 * @returns the thing
 *
 * @throws
 *
 * {ThingError} \`bad\` when it is bad
 */
`;
  expect(docComment(comment, link)).toEqual({
    text: 'Starts a [Thing](#thing)&lt;T>; see `Map<string, {{}}>` and [docs/aws.md](/aws).',
    parameters: ['`name`: of the thing'],
    returns: 'the thing',
    throws: ['[ThingError](#thingerror): `bad` when it is bad'],
  });
});

test('a comment without a text has its tags', () => {
  const comment = '/**\n * @throws\n *\n * {ThingError} `bad`\n */\n';
  expect(docComment(comment, link)).toMatchObject({
    text: '',
    throws: ['[ThingError](#thingerror): `bad`'],
  });
});

test.each([
  ['How long, s.  @default 15 minutes', 'How long, s. Default: 15 minutes.'],
  ['@default `sweep`: at the end. Or none.', 'Default: `sweep`: at the end. Or none.'],
])('a default at the end of a line, or alone, is a sentence: %s', (comment, text) => {
  expect(docComment(`/**\n * ${comment}\n */\n`, link).text).toBe(text);
});

test('code in a fence is left as it is, also with what would be a tag', () => {
  const code = '```ts\nconst a: Map<string, `a`> = b; // docs/api.md @default\n```';
  const comment = `/**\n * Makes it:\n * ${code.replaceAll('\n', '\n * ')}\n *\n * @throws\n *\n * {E} x\n */\n`;
  expect(docComment(comment, link)).toMatchObject({
    text: `Makes it:\n${code}`,
    throws: ['[E](#e): x'],
  });
});

test.each([
  ['such as {{ name }} and {{other}}', 'such as &#123;&#123; name }} and &#123;&#123;other}}'],
  ['{{ name }} and `{{ code }}`', '&#123;&#123; name }} and `{{ code }}`'],
  ['@default {{ none }}', 'Default: &#123;&#123; none }}.'],
])('what Vue would take for an expression is text, outside of code: %s', (comment, text) => {
  expect(docComment(`/**\n * ${comment}\n */\n`, link).text).toBe(text);
});

test('the sentence that the extractor adds to a constructor is left out', () => {
  const comment = '/**\n * Constructs a new instance of the `Thing` class\n */\n';
  expect(docComment(comment, link).text).toBe('');
});

test('an empty comment has no text', () => {
  expect(docComment('', link)).toEqual({ text: '', parameters: [], returns: null, throws: [] });
});

test('a file is summarised by its first doc comment', () => {
  const file = '/**\n * `reeve/local`: in one\n * process.\n */\n/** Other. */';
  expect(fileSummary(file)).toBe('In one process.');
});
