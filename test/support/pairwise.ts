/** A covering array: few rows in which each allowed pair of values of two factors occurs. */

/** The values of each factor; `undefined` is a value too. */
export type Factors = Readonly<Record<string, readonly unknown[]>>;
export type Row = Readonly<Record<string, unknown>>;

interface Pair {
  readonly names: readonly [string, string];
  readonly values: readonly [unknown, unknown];
}

/** The pairs that are allowed. */
export function pairsOf(factors: Factors, isAllowed: (row: Row) => boolean): readonly Pair[] {
  const all = Object.entries(factors);
  return all.flatMap(([one, firsts], at) =>
    all
      .slice(at + 1)
      .flatMap(([other, seconds]) =>
        firsts.flatMap((first) =>
          seconds
            .filter((second) => isAllowed({ [one]: first, [other]: second }))
            .map((second): Pair => ({ names: [one, other], values: [first, second] })),
        ),
      ),
  );
}

export const isIn = (row: Row, { names: [one, other], values: [first, second] }: Pair): boolean =>
  one in row && other in row && row[one] === first && row[other] === second;

/**
 * Greedy: each row begins with a missing pair, and takes of each further factor the value that completes most
 * missing pairs. The same factors give the same rows.
 *
 * @param isAllowed whether these values may be combined; called with parts of a row, too
 */
export function pairwise(factors: Factors, isAllowed: (row: Row) => boolean): readonly Row[] {
  let missing = pairsOf(factors, isAllowed);
  const rows: Row[] = [];
  while (missing[0] !== undefined) {
    const row = completed(missing[0], factors, missing, isAllowed);
    rows.push(row);
    missing = missing.filter((pair) => !isIn(row, pair));
  }
  return rows;
}

function completed(
  { names: [one, other], values: [first, second] }: Pair,
  factors: Factors,
  missing: readonly Pair[],
  isAllowed: (row: Row) => boolean,
): Row {
  let row: Row = { [one]: first, [other]: second };
  for (const [name, values] of Object.entries(factors)) {
    if (name in row) continue;
    const candidates = values.map((value) => ({ ...row, [name]: value })).filter(isAllowed);
    const gains = candidates.map(
      (candidate) => missing.filter((pair) => isIn(candidate, pair)).length,
    );
    const best = candidates[gains.indexOf(Math.max(...gains))];
    if (best === undefined) throw new Error(`no value of ${name} goes with ${JSON.stringify(row)}`);
    row = best;
  }
  return row;
}

/** Some of these rows, in which each value occurs that occurs in any: greedy, those first that have most values which no former one has. */
export function withEachValue(rows: readonly Row[]): readonly Row[] {
  const seen = new Map<string, Set<unknown>>();
  const news = (row: Row) =>
    Object.entries(row).filter(([name, value]) => seen.get(name)?.has(value) !== true);
  const some: Row[] = [];
  for (;;) {
    const [best] = rows.toSorted((a, b) => news(b).length - news(a).length);
    if (best === undefined || news(best).length === 0) return some;
    some.push(best);
    for (const [name, value] of Object.entries(best)) {
      seen.set(name, (seen.get(name) ?? new Set()).add(value));
    }
  }
}
