/** The description of an event that is logged. */
export interface EventEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: readonly string[];
  /** Fields that only some lines of the event have. */
  readonly optional?: readonly string[];
  readonly meaning: string;
}

/** A file of stored data, and the place in it. */
export const ofStore = ['file', 'table', 'row', 'reason'] as const;
/** A call of an agent that failed. */
export const ofCall = ['orderId', 'step', 'attempt', 'agent', 'error', 'code'] as const;
