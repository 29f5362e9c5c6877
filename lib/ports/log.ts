/** Structured log. Fields carry ids, codes and numbers; never details, inputs, outputs or tokens. */
import type { logEvents } from './log-events.ts';

type LogValue = string | number | boolean | null;
export type LogFields = Readonly<Record<string, LogValue>>;

type Events = typeof logEvents;
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

/** Each event has the level and the fields that `logEvents` says. `info` takes every event, to log it at a lower level. */
export interface Log {
  info<Event extends LogEvent>(event: Event, fields: FieldsOf<Event>): void;
  warn<Event extends EventOf<'warn'>>(event: Event, fields: FieldsOf<Event>): void;
  error<Event extends EventOf<'error'>>(event: Event, fields: FieldsOf<Event>): void;
}
