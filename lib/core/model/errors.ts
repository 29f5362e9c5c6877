/**
 * The one base of all errors Reeve raises. `code` is stable and part of the interface; the message
 * says what is wrong, where, and what to do.
 */
export class ReeveError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A workflow or agent definition that cannot work: mend the definition, then start again. */
export class DefinitionError extends ReeveError {}

/** Stored data that this release cannot read, for one of two reasons: see the classes derived from it. */
export class UnreadableDataError extends ReeveError {}

/** Stored or received data that no release of Reeve wrote. Nothing is guessed: it is kept for an operator. */
export class CorruptDataError extends UnreadableDataError {}

/** Data that a newer release of Reeve wrote, and that this one must leave alone: the newer one will take it. */
export class NewerDataError extends UnreadableDataError {}

/** The store or a channel failed and may work later; whether the write happened is not known. */
export class UnavailableError extends ReeveError {}

/** The store or a channel will never take this: trying again is of no use, something smaller may be. */
export class RefusedError extends ReeveError {}

/** States what must be true; a failure is a mistake in Reeve, and the lease heals what it left. */
export function assertThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ReeveError('assertion-failed', `${message}. Please report this.`);
}

/** What went wrong, for a log line or a message: in the words of the error. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : 'unknown';

/** Only the kind of error: where its message may quote the details of an order, which belong in no log. */
export const errorKind = (error: unknown): string =>
  error instanceof Error ? error.name : 'unknown';
