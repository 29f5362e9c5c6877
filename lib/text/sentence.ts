/** What others wrote, as a sentence: services end their messages with a full stop, or do not. */

const ended = /[.!?…]["'”’)\]]*$/;
/** A word in front of another. A code such as `payment_intent` keeps its letters. */
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
