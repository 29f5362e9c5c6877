/** PutEvents: sends one request of events and reports which EventBridge rejected. */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { unavailable } from '#aws/failure.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { eventSource } from './event-names.ts';

export interface OutgoingEvent {
  readonly detailType: string;
  /** JSON. */
  readonly detail: string;
}

/**
 * Returns an error for each event that EventBridge rejected, by its index.
 *
 * @throws {UnavailableError} when the outcome is unknown for all events
 */
export async function putEvents(
  client: EventBridgeClient,
  eventBus: string,
  events: readonly OutgoingEvent[],
): Promise<ReadonlyMap<number, UnavailableError>> {
  const Entries = events.map(({ detailType, detail }) => ({
    EventBusName: eventBus,
    Source: eventSource,
    DetailType: detailType,
    Detail: detail,
  }));
  const answer = await client.send(new PutEventsCommand({ Entries })).catch((error: unknown) => {
    throw unavailable('EventBridge', error);
  });
  const refused = new Map<number, UnavailableError>();
  for (const [place, { ErrorCode }] of (answer.Entries ?? []).entries()) {
    if (ErrorCode === undefined) continue;
    const message = `EventBridge rejected an event: ${ErrorCode}.`;
    refused.set(place, new UnavailableError('event-unsent', message));
  }
  return refused;
}
