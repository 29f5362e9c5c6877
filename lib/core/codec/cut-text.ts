/**
 * The text, or its beginning and an ellipsis where it is longer than `lengthMax` UTF-16 code units. A character of two units is never
 * divided: readers of strict JSON refuse its half.
 */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
