import type { ErrorCode } from './error-codes.ts';

/**
 * The base class of all errors that Reeve raises. `code` is stable and part of the interface; the message
 * says what is wrong, where, and what to do.
 * `Code`: the codes of this class. Errors of Reeve have those of `errorCodes`; the code of an agent chooses its own.
 */
export class ReeveError<Code extends string = ErrorCode<'ReeveError'>> extends Error {
  readonly code: string;

  constructor(code: NoInfer<Code>, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** An invalid workflow or agent definition: correct the definition, then start again. */
export class DefinitionError extends ReeveError<ErrorCode<'DefinitionError'>> {}

/** Stored data that this release cannot read; the derived classes say why. */
export class UnreadableDataError<Code extends string = never> extends ReeveError<Code> {}

/** Stored or received data that no release of Reeve wrote. It is kept unchanged for an operator. */
export class CorruptDataError extends UnreadableDataError<ErrorCode<'CorruptDataError'>> {
  declare readonly code: ErrorCode<'CorruptDataError'>;
}

/** Data of a newer release of Reeve, which this release must not change. */
export class NewerDataError extends UnreadableDataError<ErrorCode<'NewerDataError'>> {}

/** The store or a channel failed: retry later. Whether the write happened is not known. */
export class UnavailableError<
  Code extends string = ErrorCode<'UnavailableError'>,
> extends ReeveError<Code> {}

/** The store or a channel refused the data permanently: do not retry; smaller data may be accepted. */
export class RefusedError extends ReeveError<ErrorCode<'RefusedError'>> {}

/**
 * Checks an invariant. A violation is a defect in Reeve; the work is repeated after the lease expires.
 *
 * @throws {ReeveError} `assertion-failed`
 */
export function assertThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ReeveError('assertion-failed', `${message}. Please report this.`);
}

/** The message of the error, for log entries and messages. */
export const describeError = (error: unknown): string => textOf(error, 'message') ?? 'unknown';

/** The class of the error, where its message may quote details of an order, which must not be logged. */
export const errorKind = (error: unknown): string => textOf(error, 'name') ?? 'unknown';

/** The code of the error, which its author chose; null without one. */
export const errorCode = (error: unknown): string | null => textOf(error, 'code');

/** What a log says of an error whose message may quote details: its class, and its code. */
export const errorFields = (error: unknown) => ({
  error: errorKind(error),
  code: errorCode(error),
});

/** What a log says of an error that may be none of Reeve: the message of one that Reeve raised, and of others, whose message may quote details, the class. */
export const loggedText = (error: unknown): string =>
  error instanceof ReeveError ? describeError(error) : errorKind(error);

/** Null for what is no error, or cannot be read: code that is not part of Reeve may throw anything. */
function textOf(error: unknown, property: 'message' | 'name' | 'code'): string | null {
  try {
    if (!(error instanceof Error)) return null;
    const value: unknown = Reflect.get(error, property);
    return value === undefined || value === null ? null : String(value);
  } catch {
    return null;
  }
}

const readProperties = ['name', 'message', 'code', 'effect', 'stack'] as const;

/**
 * The same error, if it can be read. Otherwise an error that says so: of a revoked proxy, even `instanceof` throws, and code that handles
 * errors would fail itself.
 */
export function readableError(error: unknown): unknown {
  try {
    if (error instanceof Error) for (const name of readProperties) String(Reflect.get(error, name));
    return error;
  } catch {
    return new TypeError(
      'The code threw what cannot be read: it is a revoked proxy, or one of its properties throws.',
    );
  }
}
