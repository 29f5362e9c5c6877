/** The filter options that `list` and the bulk commands share. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { processStates } from '#cli/api/response-schemas.ts';
import { anyCase } from './any-case.ts';

export interface OrderFilter {
  readonly state?: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly step?: string;
  /** The code of the order's fault. */
  readonly fault?: string;
  /** A step waits for its agent. */
  readonly held?: boolean;
  readonly tenant?: string;
  readonly correlationId?: string;
  /** A duration until now, a date, or an instant. */
  readonly since?: string;
  readonly before?: string;
}

const names = [
  ...(['state', 'workflow', 'agent', 'step', 'fault'] as const),
  ...(['tenant', 'correlationId', 'since', 'before'] as const),
];

export function addFilterOptions(command: Command): Command {
  return command
    .addOption(
      anyCase(
        new Option('--state <state>', 'only those in this state, in upper or lower case'),
        processStates,
      ),
    )
    .option('--workflow <name>', 'only those of this workflow')
    .option(
      '--agent <name>',
      'only those with a fault of a step of this agent, or a call to it in flight or held',
    )
    .option('--step <name>', 'only those with a fault of this step')
    .option('--fault <code>', 'only those with this fault code, such as exhausted')
    .option(
      '--held',
      'only those with a step that waits for its agent, or for earlier orders of the same singleton key',
    )
    .option('--tenant <name>', 'only those of this tenant')
    .option('--correlation-id <id>', 'only those with this correlation id')
    .option(
      '--since <when>',
      'only those that changed within a duration such as 30m, 2h or 3d, or since an instant',
      moment,
    )
    .option(
      '--before <when>',
      'only those that last changed before then; a duration or an instant',
      moment,
    );
}

/** The query for the API, whose filter comes from {@link withInstants}. */
export function queryOf(filter: OrderFilter): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of names) {
    const value = filter[name];
    if (value !== undefined) query.set(name, value);
  }
  if (filter.held === true) query.set('held', 'true');
  return query;
}

/** Replaces durations by instants, because `2h` would change between two pages, and a cursor is bound to its filters. */
export function withInstants<Filter extends OrderFilter>(filter: Filter, nowMs: number): Filter {
  const { since, before } = filter;
  return {
    ...filter,
    ...(since !== undefined && { since: instantOf(since, nowMs) }),
    ...(before !== undefined && { before: instantOf(before, nowMs) }),
  };
}

/** The options as words of a proposed command, not quoted. */
export const filterWords = (filter: OrderFilter): string[] => [
  ...names.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [optionOf(name), value];
  }),
  ...(filter.held === true ? ['--held'] : []),
];

const optionOf = (name: (typeof names)[number]) =>
  name === 'correlationId' ? '--correlation-id' : `--${name}`;

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const length = /^(\d{1,6})([smhd])$/;

/** ISO 8601: a date, which is its start in UTC, or a date and a time, which is local without a zone. */
const instant =
  /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;

/** Reads the argument of an option that takes a duration until now, a date or an instant. */
export function moment(text: string): string {
  if (length.test(text) || isInstant(text)) return text;
  throw new InvalidArgumentError(
    'Give a duration such as 2h, a date such as 2026-01-31, or an instant such as 2026-01-31T12:00:00Z.',
  );
}

/** `Date.parse` alone takes `12` for December 2001, and 30 February for 2 March. */
function isInstant(text: string): boolean {
  const [, date] = instant.exec(text) ?? [];
  if (date === undefined) return false;
  if (Number.isNaN(Date.parse(text)) || Number.isNaN(Date.parse(date))) return false;
  return new Date(Date.parse(date)).toISOString().startsWith(date);
}

/** No order has changed before or after these. Others than those of years with four digits are no instants of the API. */
const earliest = 0;
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The instant of what {@link moment} accepts. */
export function instantOf(text: string, nowMs: number): string {
  const [, count = '', unit] = length.exec(text) ?? [];
  const isUnit = (letter: string | undefined): letter is keyof typeof units =>
    letter !== undefined && letter in units;
  const at = isUnit(unit) ? nowMs - Number(count) * units[unit] : Date.parse(text);
  return new Date(Math.min(Math.max(at, earliest), latest)).toISOString();
}
