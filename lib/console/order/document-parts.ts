/** A document as text, with the places at which the server left out a sensitive value. */
import { redacted } from '#core/view/redacted.ts';

const sentInstead = JSON.stringify(redacted);

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'redacted' };

export function documentParts(document: unknown): readonly TextPart[] {
  const text = JSON.stringify(document, null, 2) ?? '';
  return text.split(sentInstead).flatMap((piece, at): TextPart[] => {
    const plain: TextPart[] = piece === '' ? [] : [{ kind: 'text', text: piece }];
    return at === 0 ? plain : [{ kind: 'redacted' }, ...plain];
  });
}
