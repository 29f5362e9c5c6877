/** Deletes ended orders in stores without a time-to-live. */
export interface Retention {
  /**
   * Deletes a batch of the Processed and Undone orders whose last change is before this instant (ms since
   * the epoch). Orders in Error are never deleted.
   *
   * @param now the present, ms since the epoch: an order that was submitted later, by a clock that was ahead, is kept until then, and keeps no other
   *
   * @throws {UnavailableError} whether they were deleted is not known; a repetition is harmless
   */
  deleteEnded(before: number, now: number): Promise<Deletion>;
  /** When the newest order was submitted, ms since the epoch; null: there is none, or it cannot be read. */
  newestSubmittedAt(): number | null;
}

/** What one call of {@link Retention.deleteEnded} did. */
export interface Deletion {
  /** How many orders were deleted. */
  readonly deleted: number;
  /** Whether older orders than the instant may be left, which the next call looks at. */
  readonly hasMore: boolean;
}
