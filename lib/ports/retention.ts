/** How long ended orders are kept, where the store does not delete them by itself as a time-to-live does. */
export interface Retention {
  /**
   * Deletes some of the orders that came to their end, Processed or Undone, and did not change since this
   * instant (ms since the epoch); gives how many. Orders in Error are kept, whatever their age.
   *
   * @throws {UnavailableError} whether they were deleted is not known; deleting again does no harm
   */
  deleteEnded(before: number): Promise<number>;
}
