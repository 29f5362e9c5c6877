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
