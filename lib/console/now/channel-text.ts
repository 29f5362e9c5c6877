/** What a response channel, or that of the alerts, does not deliver. */

/** @param name of the channel; null: that of the alerts to operators */
export function channelText(name: string | null, undelivered: number): string {
  const what = name === null ? 'Alerts to operators' : `Status messages of the channel ${name}`;
  return `${what} are not delivered (${undelivered.toLocaleString('en')}), and fail`;
}
