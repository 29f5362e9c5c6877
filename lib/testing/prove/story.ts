/** The trace of a world as people read it: orders by number, and of each write what it changed. */

const line = /^(\d+):(\d\d):(\d\d)\.(\d\d\d) {2}(.*)$/;
const write = /^\S+ writes (\S+) \d+: (.*?) → (\w+) (\w+) \[(.*)\]$/;
/** The ids of the orders of simulated worlds. */
export const orderIds = /\bk[0-9a-f]{40}\b/g;

/**
 * @param trace the lines of the trace
 * @param rule the story ends where it is broken
 * @param names receives the names of orders by their ids
 */
export function storyOf(
  trace: readonly string[],
  rule: string,
  names: Map<string, string>,
): readonly string[] {
  const states = new Map<string, readonly string[]>();
  const story: string[] = [];
  let start: number | null = null;
  for (const each of trace) {
    const [, hours, minutes, seconds, ms, text = ''] = line.exec(each) ?? [];
    const at =
      Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000 + Number(ms);
    start ??= at;
    const named = withNames(changesOf(text, states), names);
    story.push(`${clockText(at - start)}  ${named}`);
    if (text.startsWith(`BROKEN ${rule}:`)) break;
  }
  return story;
}

/** A write with the steps that it changed alone. */
function changesOf(text: string, states: Map<string, readonly string[]>): string {
  const [, order, why, state, direction, steps] = write.exec(text) ?? [];
  if (order === undefined || steps === undefined) return text;
  const before = states.get(order) ?? [];
  const now = steps.split(', ');
  states.set(order, now);
  const changed = now.filter((step) => !before.includes(step) && !step.endsWith(' NotStarted'));
  const way = direction === 'undo' && state !== 'Undone' ? ', to be undone' : '';
  return `${order}: ${why} → ${state}${way}${changed.length === 0 ? '' : ` [${changed.join(', ')}]`}`;
}

/** `order 1` in the place of its id. */
export const withNames = (text: string, names: Map<string, string>): string =>
  text.replaceAll(orderIds, (id) => {
    const name = names.get(id) ?? `order-${names.size + 1}`;
    names.set(id, name);
    return name;
  });

function clockText(ms: number): string {
  const digits = (value: number, count: number) => String(value).padStart(count, '0');
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds % 60, 2)}.${digits(ms % 1_000, 3)}`;
}
