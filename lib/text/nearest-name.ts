/** The known name that a wrong one was probably meant to be. */

/** Letters that may be wrong, missing or too many: with more, a proposal would be a guess. */
const mistakesMax = 2;

/** Undefined when none is near. */
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

/** Cut short, or longer than it should be, is one mistake; else the edit distance. */
function mistakesBetween(given: string, name: string): number {
  if (given === name) return 0;
  if (name.startsWith(given) || given.startsWith(name)) return 1;
  return editDistance(given, name);
}

/** After Levenshtein, row by row. */
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
