/** What an external JSON document must not contain. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strictJson, utf8Text } from '#core/codec/strict-json.ts';

const faultOf = (text: string) => {
  const outcome = strictJson(text);
  return outcome.kind === 'refused' ? outcome.fault : null;
};

describe('a document', () => {
  it.each<[string, string | null, string]>([
    ['{', null, 'is not valid JSON'],
    ['', null, 'is not valid JSON'],
    ['{"a":1,"a":2}', 'a', 'occurs more than once'],
    ['{"a":1,"\\u0061":2}', 'a', 'occurs more than once'],
    ['{"a":{"b":[{"c":1},{"c":1,"d":2,"c":3}]}}', 'a.b.1.c', 'occurs more than once'],
    ['{"a":{"x":1},"b":{"x":1},"a":0}', 'a', 'occurs more than once'],
    ['[[1,2],{"":0,"":1}]', '1.""', 'occurs more than once'],
    ['{"__proto__":1,"__proto__":2}', '__proto__', 'occurs more than once'],
    ['{"a":"\\ud800"}', 'a', 'has a lone surrogate, which is not valid Unicode'],
    ['["x","\\udc00y"]', '1', 'has a lone surrogate, which is not valid Unicode'],
    ['"\\ud800"', null, 'has a lone surrogate, which is not valid Unicode'],
    ['{"\\ud800":1}', '\uFFFD', 'has a lone surrogate in its name, which is not valid Unicode'],
  ])('%s is refused at %s', (text, field, message) => {
    expect(faultOf(text)).toEqual({ field, message });
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":["a","a","{\\"a\\":1,\\"a\\":2}"]}',
    '[{"a":1},{"a":1}]',
    '{"a\\"":1,"a":2}',
    '"\\ud83d\\ude00"',
    '{"a":"a","b":",","c":":","d":"{"}',
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    'null',
  ])('%.60s is accepted', (text) => {
    expect(faultOf(text)).toBeNull();
  });

  it('that JSON.stringify wrote is accepted as it is, and with one name doubled it is refused', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (document) => {
        const text = JSON.stringify(document);
        expect(strictJson(text)).toEqual({ kind: 'json', value: JSON.parse(text) });
        const [name] = Object.keys(document);
        fc.pre(name !== undefined);
        expect(faultOf(`{${JSON.stringify(name)}:0,${text.slice(1)}`)).toEqual({
          field: name === '' ? '""' : name.slice(0, 200),
          message: 'occurs more than once',
        });
      }),
    );
  });
});

describe('bytes', () => {
  it('that are UTF-8 are their text, without a byte order mark', () => {
    expect(utf8Text(new TextEncoder().encode('\uFEFFMünchen 😀 \uFFFD'))).toBe('München 😀 \uFFFD');
  });

  it.each([
    ['Latin-1', [0x4d, 0xfc, 0x6e]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
    ['cut within a character', [0xf0, 0x9f, 0x98]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ])('of %s are refused', (_, bytes) => {
    expect(utf8Text(Uint8Array.from(bytes))).toBeNull();
    // The next document has nothing of this one.
    expect(utf8Text(new TextEncoder().encode('\uFEFFMünchen'))).toBe('München');
  });
});
