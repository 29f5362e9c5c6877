/** The clock. Core and roles read the time only here. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `work` once, `ms` from now. The returned function cancels it. */
  after(ms: number, work: () => void): () => void;
}
