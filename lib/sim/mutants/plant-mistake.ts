/**
 * Replaces some code by a mistake. Formatting is ignored: the code matches with other line breaks and indentation,
 * and with or without trailing commas.
 */

export interface PlantedCode {
  /** Occurs in the source exactly once. */
  readonly text: string;
  readonly instead: string;
}

/** @throws {RangeError} when the source does not contain the text, or contains it more than once */
export function plantMistake(source: string, { text, instead }: PlantedCode): string {
  const [place, ...others] = placesOf(source, text);
  if (place === undefined || others.length > 0) {
    throw new RangeError(
      `The source contains this code ${others.length === 0 ? 'nowhere' : 'more than once'}: ${text}`,
    );
  }
  return source.slice(0, place.from) + instead + source.slice(place.until);
}

const formatting = /\s+|,(?=\s*[)\]}])/g;

function placesOf(source: string, text: string) {
  const wanted = text.replace(formatting, '');
  const code = source.replace(formatting, (spaces) => ' '.repeat(spaces.length));
  const positions = [...code].flatMap((char, at) => (char === ' ' ? [] : [at]));
  const compact = code.replaceAll(' ', '');
  const places: { readonly from: number; readonly until: number }[] = [];
  for (let at = compact.indexOf(wanted); at !== -1; at = compact.indexOf(wanted, at + 1)) {
    const last = positions[at + wanted.length - 1] ?? source.length;
    places.push({ from: positions[at] ?? 0, until: last + 1 });
  }
  return places;
}
