/**
 * Tells a person at a terminal of orders in Error: the first of one cause at once, and those that follow
 * it within a minute as one line with their number, so that a broken service is one condition and not a
 * thousand.
 */
import type { Clock } from '#ports/clock.ts';
import type { Alert } from '#ports/publisher.ts';
import { orderText, troubleText } from '#text/alert-text.ts';

/** How long orders that stop for the same cause are counted together, ms. */
const gatherMs = 60_000;

/** What is said of one order, or of many. */
export interface AlertText {
  /** Which order needs a person, or how many do. */
  readonly what: string;
  readonly why: string;
  /** The command that lets them go on. */
  readonly command: string;
}

export interface AlertGrouping {
  /** Resolves when it was said: until then, a crash must not forget it. */
  alert(alert: Alert): Promise<void>;
  /** Says nothing more: what was not said is told after the next start. */
  close(): void;
}

export interface AlertGroupingOptions {
  readonly show: (words: AlertText) => void;
  /** How the command line of this Reeve is called. */
  readonly command: string;
  readonly clock: Clock;
}

/** Orders that stopped for one cause: the first, and those not yet spoken of. */
interface Condition {
  readonly since: number;
  readonly more: { readonly alert: Alert; readonly shown: () => void }[];
  cancel: () => void;
}

export function alertGrouping({ show, command, clock }: AlertGroupingOptions): AlertGrouping {
  const conditions = new Map<string, Condition>();

  function open(cause: string, since: number): void {
    const condition: Condition = { since, more: [], cancel: () => {} };
    const gather = () => {
      condition.cancel = clock.after(gatherMs, () => {
        const more = condition.more.splice(0);
        const [only, ...others] = more;
        if (only === undefined) {
          conditions.delete(cause);
          return;
        }
        const isOne = others.length === 0;
        show(isOne ? ofOne(only.alert) : ofMany(only.alert, more.length, { command, since }));
        for (const { shown } of more) shown();
        gather();
      });
    };
    conditions.set(cause, condition);
    gather();
  }

  return {
    async alert(alert) {
      const cause = causeOf(alert);
      const condition = conditions.get(cause);
      if (condition === undefined) {
        open(cause, alert.change.at);
        show(ofOne(alert));
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      condition.more.push({ alert, shown: resolve });
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
  return { what: `${orderText(change)} needs a person`, why: troubleText(change), command: remedy };
}

function ofMany(
  { change: { workflow, fault, tried } }: Alert,
  count: number,
  { command, since }: { readonly command: string; readonly since: number },
): AlertText {
  const step = fault?.step ?? null;
  const agent = tried === null ? '' : ` --agent ${tried.agent}`;
  const filter = `--state Error --workflow ${workflow}${agent}`;
  return {
    what: `${count.toLocaleString('en')} more ${count === 1 ? 'order' : 'orders'} of ${workflow} need a person`,
    why: `the same${step === null ? '' : ` at step ${step}`} (${fault?.code ?? 'no fault'})`,
    command: `${command} resubmit ${filter} --since ${new Date(since).toISOString()}`,
  };
}
