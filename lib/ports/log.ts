/** Structured log. Fields carry ids, codes and numbers; never details, inputs, outputs or tokens. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Log {
  info(event: string, fields: LogFields): void;
  warn(event: string, fields: LogFields): void;
  error(event: string, fields: LogFields): void;
}
