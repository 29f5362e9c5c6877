/** How many requests the queues of an agent have, as the queues say. */

/** Numbers of requests; approximate. */
export interface Backlog {
  /** In the queues. */
  readonly waiting: number;
  /** Received by the agent, and not yet answered. */
  readonly inFlight: number;
}

/** Reads the queues of agents. */
export interface RequestBacklog {
  /** @throws {UnavailableError} when the queues give no answer */
  of(agent: string): Promise<Backlog>;
}
