/**
 * The awaits of the roles at which crashes struck: at each `await` a process may crash before or after the awaited
 * work took effect. The call stack shows which awaits wait for that work.
 */
import type { Uncrashed } from './uncrashed.ts';

export type Moment = 'before' | 'after';

/** `scheduler.ts:34`: a file of lib/roles, and a line of it. */
export type Line = string;

/** An `await` of the roles, and the lines of the awaited expression. */
export interface AwaitSite {
  readonly line: Line;
  readonly lines: readonly Line[];
  /** The text of its line, without indentation. */
  readonly code: string;
}

/** The lines of lib/roles that wait for the current call. */
function waitingLines(): readonly Line[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  let lines: readonly Line[] = [];
  Error.stackTraceLimit = 60;
  // The text of the whole stack would be slow to make.
  Error.prepareStackTrace = (_, sites) => {
    lines = sites.flatMap(lineOf);
    return '';
  };
  // Reading it calls the function above.
  void new Error('where').stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  return lines;
}

function lineOf(site: NodeJS.CallSite): readonly Line[] {
  const [, file] = /\/lib\/roles\/(?:[\w-]+\/)*([\w-]+\.ts)$/.exec(site.getFileName() ?? '') ?? [];
  return file === undefined ? [] : [`${file}:${site.getLineNumber()}`];
}

/** The awaits in a role's source, each with the lines up to its closing parenthesis. */
export function awaitSitesOf(file: string, source: string): readonly AwaitSite[] {
  const code = source.split('\n').map((line) => line.replace(/^\s*(\*|\/\*|\/\/).*$/, ''));
  return code.flatMap((line, at) => {
    const begins = line.search(/\bawait\b/);
    if (begins < 0) return [];
    const lines = [`${file}:${at + 1}`];
    let open = depthOf(line.slice(begins));
    for (let next = at + 1; open > 0 && next < code.length; next += 1) {
      lines.push(`${file}:${next + 1}`);
      open += depthOf(code[next] ?? '');
    }
    return [{ line: `${file}:${at + 1}`, lines, code: line.trim() }];
  });
}

function depthOf(code: string): number {
  return code.split('(').length - code.split(')').length;
}

/** Lines at which a process crashed, with the moment; shared by several simulations. */
export interface CrashPoints {
  /** The lines at which the current call would crash; empty once enough stacks were read. */
  here(): readonly Line[];
  mark(lines: readonly Line[], moment: Moment): void;
  readonly struck: ReadonlySet<string>;
}

/** Reading stacks is slow, and this number covers every place many times. */
const stacksMax = 60_000;

export function crashPoints(): CrashPoints {
  const struck = new Set<string>();
  let asked = 0;
  return {
    struck,
    here() {
      asked += 1;
      return asked > stacksMax ? [] : waitingLines();
    },
    mark(lines, moment) {
      for (const line of lines) struck.add(`${line} ${moment}`);
    },
  };
}

/** The awaits that must be struck: all except the documented exceptions. */
export function expectedSites(
  sites: readonly AwaitSite[],
  known: readonly Uncrashed[],
): readonly AwaitSite[] {
  return sites.filter((site) => !known.some((one) => isAt(site, one)));
}

const isAt = ({ line, code }: AwaitSite, one: Uncrashed) =>
  one.code === code && line.startsWith(`${one.file}:`);

/** Awaits that were never struck before or after, and exceptions whose await no longer exists. */
export function missedPoints(
  sites: readonly AwaitSite[],
  struck: ReadonlySet<string>,
  known: readonly Uncrashed[] = [],
): readonly string[] {
  const moments: readonly Moment[] = ['before', 'after'];
  const gone = known.filter((one) => !sites.some((site) => isAt(site, one)));
  const missed = expectedSites(sites, known).flatMap(({ line, lines }) =>
    moments
      .filter((moment) => !lines.some((one) => struck.has(`${one} ${moment}`)))
      .map((moment) => `${line} ${moment}`),
  );
  return [...missed, ...gone.map(({ file, code }) => `${file} has no longer: ${code}`)];
}
