/** Deletes ended orders in stores without a time-to-live. */
export interface Retention {
  /**
   * Deletes a batch of the Processed and Undone orders whose last change is before this instant (ms since
   * the epoch), and returns their number. Orders in Error are never deleted.
   *
   * @throws {UnavailableError} whether they were deleted is not known; a repetition is harmless
   */
  deleteEnded(before: number): Promise<number>;
}
