/** A share of a list, as the test runner divides its files: `2/3` is the second of three. */
export function listShard<Item>(items: readonly Item[], shard: string): readonly Item[] {
  const [, number = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(shard) ?? []).map(Number);
  if (number < 1 || number > count)
    throw new RangeError(`--shard ${shard}: give a number and how many there are, such as 1/3`);
  return items.filter((_, at) => at % count === number - 1);
}
