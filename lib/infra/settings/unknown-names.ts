/** Names that nothing reads: what they are to set would have no effect. */
import { nearestName } from '#text/nearest-name.ts';

/**
 * The faults of names that are not known, with the name that is probably meant.
 *
 * @param what such as `a parameter`
 * @param meant what is meant by names that are not alike, where it is known
 */
export function unknownNames(
  given: readonly string[],
  known: readonly string[],
  what: string,
  meant: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  return given
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = meant.get(name) ?? nearestName(name, known);
      const hint = near === undefined ? '' : ` (did you mean \`${near}\`?)`;
      return `\`${name}\` is not ${what}${hint}`;
    });
}
