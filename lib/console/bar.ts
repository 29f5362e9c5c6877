/** What a step did for a while: an attempt, or a wait. */
export type BarKind =
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'timedOut'
  | 'takenBack'
  | 'coolDown'
  | 'heldBack';

export interface Bar {
  readonly kind: BarKind;
  readonly action: 'perform' | 'undo';
  /** 0 for a wait. */
  readonly attempt: number;
  readonly from: number;
  /** Null while it goes on. */
  readonly to: number | null;
  /** The answer came while the order waited or was stopped: recorded, and nothing started. */
  readonly late: boolean;
  readonly fault: string | null;
}
