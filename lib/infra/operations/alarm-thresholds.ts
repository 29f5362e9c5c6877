/** When alarms are raised: what an application may set, and the defaults. */
import { Duration } from 'aws-cdk-lib';
import { ReeveError } from '#core/model/errors.ts';

/** When alarms are raised. Each default fits some hundred orders per second; a change moves the alarm, and nothing else. */
export interface AlarmThresholds {
  /**
   * How long the oldest message of a queue has waited when an alarm is raised. Where gathering and handling it may take more than a
   * minute, as in a batch window or in the `timeout` of an agent, that time is added; and 15 minutes for the ready queues and the deadline
   * checks, whose messages are delayed by up to that. @default 5 minutes
   */
  readonly oldMessage?: Duration | undefined;
  /** Age of an undelivered status message or alert, at a try that fails or that nothing makes; 15 minutes or more, the longest delay between tries. @default 30 minutes */
  readonly oldStatus?: Duration | undefined;
  /** Overdue orders in five minutes; a few are normal. @default 100 */
  readonly ordersPastDue?: number | undefined;
  /** How long an order may wait for an agent; above 15 minutes, because it is asked about every 15. @default 15 minutes */
  readonly held?: Duration | undefined;
}

const defaultThresholds = {
  oldMessage: Duration.minutes(5),
  oldStatus: Duration.minutes(30),
  ordersPastDue: 100,
  held: Duration.minutes(15),
} satisfies AlarmThresholds;

/** The thresholds of a deployment. */
export type Thresholds = typeof defaultThresholds;

/** The given thresholds, and the defaults of the others. @throws {ReeveError} `settings-invalid` for one that is too early */
export function thresholdsOf(given: AlarmThresholds): Thresholds {
  refuseEarly(given);
  return {
    oldMessage: given.oldMessage ?? defaultThresholds.oldMessage,
    oldStatus: given.oldStatus ?? defaultThresholds.oldStatus,
    ordersPastDue: given.ordersPastDue ?? defaultThresholds.ordersPastDue,
    held: given.held ?? defaultThresholds.held,
  };
}

/** Delivery is tried at least every 15 minutes, and orders that wait are asked about as often: earlier alarms would be false, or never raised. */
function refuseEarly({ oldStatus, held }: AlarmThresholds): void {
  for (const [name, threshold] of Object.entries({ oldStatus, held })) {
    if (threshold === undefined || threshold.toMinutes({ integral: false }) >= 15) continue;
    throw new ReeveError(
      'settings-invalid',
      `The threshold \`alarms.${name}\` must be 15 minutes or more.`,
    );
  }
}
