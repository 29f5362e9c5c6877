import type { logEvents } from './log-events/log-events.ts';

type LogValue = string | number | boolean | null;
/** The fields of a log entry: ids, codes and numbers, but never details, inputs, outputs or tokens. */
export type LogFields = Readonly<Record<string, LogValue>>;

type Events = typeof logEvents;
/** The name of an event; see log-events.ts. */
export type LogEvent = keyof Events;

type EventOf<Level extends Events[LogEvent]['level']> = {
  [Event in LogEvent]: Events[Event]['level'] extends Level ? Event : never;
}[LogEvent];

type FieldsOf<Event extends LogEvent> = Readonly<
  Record<Events[Event]['fields'][number], LogValue> &
    Partial<
      Record<
        Events[Event] extends { readonly optional: readonly (infer Name extends string)[] }
          ? Name
          : never,
        LogValue
      >
    >
>;

/** A structured log. `logEvents` defines the level and the fields of each event; `info` accepts every event. */
export interface Log {
  info<Event extends LogEvent>(event: Event, fields: FieldsOf<Event>): void;
  warn<Event extends EventOf<'warn'>>(event: Event, fields: FieldsOf<Event>): void;
  error<Event extends EventOf<'error'>>(event: Event, fields: FieldsOf<Event>): void;
}
