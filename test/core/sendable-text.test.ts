import { expect, it } from 'vitest';
import { sendableJson, sendableText } from '#core/codec/sendable-text.ts';

it('a text is cut between characters, and marked where something cannot be sent', () => {
  expect(sendableText('a\u{1f600}b', 2)).toBe('a\u{1f600}');
  expect(sendableText('a\ufffeb\u0000', 10)).toBe('a\ufffdb\ufffd');
  expect(sendableText('', 10)).toBe('');
});

it('JSON stays the same document', () => {
  const json = JSON.stringify({ text: 'a\ufffe\uffff\u{1f600}' });
  expect(sendableJson(json)).toBe('{"text":"a\\ufffe\\uffff\u{1f600}"}');
});
