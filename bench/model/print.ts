/** The report as a page of text. */
import { overdueGoal, partitionGoal, quotaUse } from './constants.ts';
import type { Part } from './parts.ts';
import type { Figures, Report } from './report.ts';

/** Limit, use and the rate at which it is full, for the deployment without parameters and for the advised one. */
export function pageOf(report: Report): string {
  const { rate, demand, deployed, advised, quotas, dollars } = report;
  const isAdvised = Object.keys(advised.parameters).length > 0;
  const columns = isAdvised ? [deployed, advised] : [deployed];
  return [
    `${number(rate)} orders of three steps per second`,
    `units of an order: ${Object.entries(demand.writeUnits)
      .map(([name, units]) => `${name} ${units}`)
      .join(', ')} (writes)`,
    '',
    parameterLine(report),
    '',
    heading(isAdvised),
    ...rows(columns, 'orders'),
    '',
    'when something fails, beside the orders that come',
    ...rows(columns, 'failures'),
    '',
    ...goalLines(columns, rate),
    '',
    quotas.length === 0
      ? 'quotas to raise: none'
      : `quotas to raise, in the order in which they are reached (so that ${quotaUse * 100} % is used)`,
    ...quotas.map(
      ({ quota, default: limit, needed, fullAt }, at) =>
        `  ${at + 1}. ${quota.padEnd(58)}${number(limit).padStart(8)} to ${number(needed).padStart(8)}   full at ${number(fullAt)} orders/s`,
    ),
    '',
    'dollars, us-east-1, list price                batches of 10   single messages',
    dollarLine('a million orders', dollars.perMillion),
    dollarLine('an hour at this rate', dollars.perHour),
    dollarLine('a month at this rate', dollars.perMonth),
    '',
    '! is over 70 % of a partition, or over the limit. Constants and their sources: bench/model/constants.ts, or --json.',
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}

function parameterLine({ advised: { parameters }, enoughUpTo }: Report): string {
  const given = parameterText(parameters);
  if (enoughUpTo === null) return `parameters for this rate: ${given || 'none'}`;
  return [
    `parameters for this rate: no values that the stack accepts are enough: they are up to ${number(enoughUpTo)} orders per second. Divide the orders among stacks.`,
    `the best of them: ${given}`,
  ].join('\n');
}

/** As the options of `cdk deploy`. */
export const parameterText = (parameters: Figures['parameters']): string =>
  Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${quoted(value)}`)
    .join(' ');

const width = { part: 48, unit: 16, cell: 9 };

function heading(isAdvised: boolean): string {
  const group = (title: string) => title.padStart(3 * width.cell + 2);
  const names = `${['limit', 'used', 'full at'].map((name) => name.padStart(width.cell)).join('')}  `;
  const groups = isAdvised ? ['as deployed', 'with the parameters'] : ['as deployed'];
  return [
    `${''.padEnd(width.part + width.unit)}${groups.map(group).join('')}`,
    `${'part'.padEnd(width.part)}${'unit'.padEnd(width.unit)}${names.repeat(groups.length)}`,
  ].join('\n');
}

function rows(columns: readonly Figures[], group: 'orders' | 'failures'): readonly string[] {
  const [first] = columns;
  return (first?.[group] ?? []).map((part, at) =>
    [
      part.part.padEnd(width.part),
      part.unit.padEnd(width.unit),
      ...columns.map((column) => cells(column[group][at] ?? part)),
    ].join(''),
  );
}

function cells(part: Part): string {
  const { limit, used, fullAt, kind } = part;
  const most = kind === 'partition' ? partitionGoal : limit;
  const numbers = [limit, used, fullAt].map((value) =>
    (value === null ? '' : number(value)).padStart(width.cell),
  );
  return `${numbers.join('')}${used > most ? ' !' : '  '}`;
}

function goalLines(columns: readonly Figures[], rate: number): readonly string[] {
  const line = (name: string, of: (goals: Figures['goals']) => string) =>
    `${name.padEnd(width.part + width.unit)}${columns.map(({ goals }) => of(goals).padStart(3 * width.cell + 2)).join('')}`;
  return [
    line(`busiest partition, at most ${partitionGoal}`, (goals) => number(goals.busiestPartition)),
    line('the same after an outage', (goals) => number(goals.busiestPartitionAfterOutage)),
    line(
      `the ${number(overdueGoal.outageSeconds * rate)} of an outage of ${overdueGoal.outageSeconds} s recovered, at most ${overdueGoal.seconds} s`,
      ({ overdueSeconds }) => `${number(overdueSeconds)} s`,
    ),
    line(
      'a million overdue after an outage',
      ({ millionSeconds }) => `${number(millionSeconds.outage)} s`,
    ),
    line(
      'a million overdue of a service that hangs',
      ({ millionSeconds }) => `${number(millionSeconds.hang)} s`,
    ),
    line(
      'recovered per second after an outage, the ramp',
      ({ ramp }) => `${number(ramp.used)} of ${number(ramp.limit)}`,
    ),
    line(
      'notified per second and shard',
      ({ notified }) => `${number(notified.used)} of ${number(notified.limit)}`,
    ),
    line('all goals', ({ reached }) => (reached ? 'reached' : 'not reached')),
  ];
}

const dollarLine = (name: string, { batches, single }: Report['dollars']['perHour']) =>
  `  ${name.padEnd(40)}${money(batches).padStart(16)}${money(single).padStart(18)}`;

/** As a shell takes it: it would expand the braces of JSON. */
const quoted = (value: unknown): string => {
  const text = String(value);
  return /^[\w.-]+$/.test(text) ? text : `'${text}'`;
};

const number = (value: number) => Math.round(value).toLocaleString('en-US');
const money = (value: number) =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
