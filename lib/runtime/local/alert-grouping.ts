/**
 * Shows orders in Error on a terminal: the first order of a cause at once, and those that follow within a minute as one
 * line with their number, so that a broken service gives one alert and not a thousand. When many wait to be shown, they are
 * shown sooner: those that wait keep the alerts behind them from being read, also those of other causes.
 */
import { keptMaxDefault } from '#in-process/kept-changes.ts';
import type { Clock } from '#ports/clock.ts';
import type { Alert } from '#ports/publisher.ts';
import { orderText, troubleText } from '#text/alert-text.ts';

/** The period in which orders that stop for the same cause are grouped, ms. */
const groupMs = 60_000;

/** Orders that wait to be shown, at most: while more than this wait, the feed of changes reads no further ones. */
const waitingMax = keptMaxDefault / 2;

/** The text for one order, or for a group. */
export interface AlertText {
  /** The order that needs an operator, or the number of them. */
  readonly what: string;
  readonly why: string;
  /** The command that resubmits them. */
  readonly command: string;
}

/** Groups alerts by cause. */
export interface AlertGrouping {
  /**
   * Resolves when the alert is shown; until then, it must survive a crash.
   *
   * @param command the command line of this Reeve, for example `npx reeve`
   */
  alert(alert: Alert, command: string): Promise<void>;
  /** Shows no further alert; the next start shows the remaining ones. */
  close(): void;
}

/** Options of {@link alertGrouping}. */
export interface AlertGroupingOptions {
  readonly show: (text: AlertText) => void;
  readonly clock: Clock;
}

/** A cause: the time of its first order, and the orders that are not shown yet. */
interface Condition {
  readonly since: number;
  readonly command: string;
  readonly more: { readonly alert: Alert; readonly shown: () => void }[];
  cancel: () => void;
}

/** Makes the grouping; alerts of one cause within a minute are one condition. */
export function alertGrouping({ show, clock }: AlertGroupingOptions): AlertGrouping {
  const conditions = new Map<string, Condition>();
  let waiting = 0;

  function startPeriod(cause: string, condition: Condition): void {
    condition.cancel();
    condition.cancel = clock.after(groupMs, () => {
      if (condition.more.length === 0) conditions.delete(cause);
      else showMore(cause, condition);
    });
  }

  function showMore(cause: string, condition: Condition): void {
    const more = condition.more.splice(0);
    const [only, ...others] = more;
    if (only === undefined) return;
    show(others.length === 0 ? ofOne(only.alert) : ofMany(only.alert, more.length, condition));
    for (const { shown } of more) shown();
    waiting -= more.length;
    startPeriod(cause, condition);
  }

  return {
    async alert(alert, command) {
      const cause = causeOf(alert);
      const condition = conditions.get(cause);
      if (condition === undefined) {
        const opened = { since: alert.change.at, command, more: [], cancel: () => {} };
        conditions.set(cause, opened);
        startPeriod(cause, opened);
        show(ofOne(alert));
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      condition.more.push({ alert, shown: resolve });
      waiting += 1;
      if (waiting === waitingMax) for (const each of conditions) showMore(...each);
      await promise;
    },
    close() {
      for (const { cancel } of conditions.values()) cancel();
    },
  };
}

function causeOf({ change: { workflow, fault } }: Alert): string {
  return [workflow, fault?.step ?? '', fault?.action ?? '', fault?.code ?? ''].join('\n');
}

function ofOne({ change, remedy }: Alert): AlertText {
  return {
    what: `${orderText(change)} needs an operator`,
    why: troubleText(change),
    command: remedy,
  };
}

function ofMany(
  { change: { workflow, fault, tried } }: Alert,
  count: number,
  { command, since }: Condition,
): AlertText {
  const step = fault?.step ?? null;
  const agent = tried === null ? '' : ` --agent ${tried.agent}`;
  const filter = `--state Error --workflow ${workflow}${agent}`;
  return {
    what: `${count.toLocaleString('en')} more ${count === 1 ? 'order' : 'orders'} of ${workflow} need an operator`,
    why: `the same${step === null ? '' : ` at step ${step}`} (${fault?.code ?? 'no fault'})`,
    command: `${command} resubmit ${filter} --since ${new Date(since).toISOString()}`,
  };
}
