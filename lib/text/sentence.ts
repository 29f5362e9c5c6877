/** Formats foreign text as a sentence, because only some services end their messages with a full stop. */

const ended = /[.!?…]["'”’)\]]*$/;
/** A lower-case word followed by another. A code such as `payment_intent` is not capitalised. */
const begunSmall = /^[a-z]+[ ,]/;

/** Empty for an empty text. */
export function sentence(text: string): string {
  const words = text.trim();
  if (words === '') return '';
  const begun = begunSmall.test(words)
    ? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
    : words;
  return ended.test(begun) ? begun : `${begun}.`;
}
