/** Time. Nothing in core or roles reads it otherwise. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `work` once, `ms` from now; the function it gives takes the appointment back. */
  after(ms: number, work: () => void): () => void;
}
