/** Finds the known name that a misspelt one probably means. */

/** Wrong, missing or extra letters allowed; with more, a suggestion would be a guess. */
const mistakesMax = 2;

/** Undefined when no name is near enough. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const plainGiven = plain(given);
  if (plainGiven.length < 3) return undefined;
  const [best] = names
    .map((name) => ({ name, mistakes: mistakesBetween(plainGiven, plain(name)) }))
    .filter(({ mistakes }) => mistakes <= mistakesMax)
    .toSorted((a, b) => a.mistakes - b.mistakes);
  return best?.name;
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');

/** A prefix counts as one mistake, in either direction; otherwise the edit distance. */
function mistakesBetween(given: string, name: string): number {
  if (given === name) return 0;
  if (name.startsWith(given) || given.startsWith(name)) return 1;
  return editDistance(given, name);
}

/** The Levenshtein distance, row by row. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      const inserted = (current[column] ?? 0) + 1;
      const removed = (above[column + 1] ?? 0) + 1;
      current.push(Math.min(replaced, inserted, removed));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
}
