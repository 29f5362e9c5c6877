/** A report for the terminal, and as an image. */
import type { Report } from './run.ts';
import { svgChart } from './svg-chart.ts';
import { textChart } from './text-chart.ts';

const title = 'Age of the oldest message of each queue';
/** More faults are counted. */
const faultsShown = 20;

export function pageOf(report: Report): string {
  const { answerMs, orderMs, faults } = report;
  const more = faults.length - faultsShown;
  return [
    `limit of the emulator on this machine: ${report.perSecond} orders/s, for ${report.seconds} s`,
    `submissions: ${report.offered}, ${report.accepted} accepted, ${report.refused} refused; ${report.refusals} refusals and ${report.ambiguous} ambiguous answers in all`,
    `answer after ${answerMs.p50} ms (p50), ${answerMs.p99} ms (p99); order ended after ${orderMs.p50} ms, ${orderMs.p99} ms`,
    `orders, those before included: ${textOf(report.orders)}`,
    `attempts that timed out, of ${report.ordersWithFailures} orders: ${textOf(report.timedOut)}; orders stopped by: ${textOf(report.stoppedBy)}`,
    `all ended, and the queues were empty, ${report.settledAfterS} s after the last offer; ${report.delayed} delayed messages to ended orders`,
    '',
    textChart('Rate', 'orders/s', [{ name: 'offered', points: report.rates }]),
    '',
    textChart(title, 's', report.ages),
    '',
    ...(faults.length === 0
      ? [
          'reconciled: each accepted submission is one ended order, each effect happened once, no message is left but delayed ones',
        ]
      : [`not reconciled, ${faults.length} faults:`, ...faults.slice(0, faultsShown)]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

function textOf(counts: Readonly<Record<string, number>>): string {
  const texts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}

export function svgOf({ ages, seconds }: Report): string {
  const used = ages.filter(({ points }) => points.some(({ value }) => value > 0));
  return svgChart(title, 's', used, { atS: seconds, text: 'last offer' });
}
