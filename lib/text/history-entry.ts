/** The history of an order for display: the entries of the API, with instants in ms since the epoch. */

/** A fault for display. */
export interface FaultLine {
  readonly code: string;
  readonly message: string;
  readonly effect: 'none' | 'possible';
}

/** A step that waits for its agent. */
export interface HoldLine {
  readonly step: string;
  readonly gate: string;
  /** What it waits for, where its agent is a pool: the pool, the members of a domain, or one member. */
  readonly agent?: string | undefined;
}

/** The member of a pool that a call of the step goes to. */
export interface AgentLine {
  readonly step: string;
  readonly agent: string;
  /** The step is undone there, and then starts anew. */
  readonly undoFirst?: boolean | undefined;
}

interface At {
  readonly at: number;
  /** Missing where no pool was involved. */
  readonly agents?: readonly AgentLine[];
}
interface OfAttempt extends At {
  readonly step: string;
  readonly attempt: number;
}
interface OfSweep extends At {
  readonly steps: readonly string[];
  readonly nudges: number;
}

/** An entry of the history. */
export type HistoryLine =
  /** `by`: null for orders stored before it was recorded. `notBefore`: null where it could begin at once. */
  | (At & {
      readonly type: 'submit';
      readonly by: string | null;
      readonly notBefore: number | null;
    })
  | (At & { readonly type: 'claim'; readonly by: string; readonly definitionUnknown: boolean })
  | (At & { readonly type: 'resume'; readonly by: string })
  | (At & { readonly type: 'held'; readonly holds: readonly HoldLine[]; readonly times: number })
  | (OfAttempt & { readonly type: 'stepSucceeded' | 'undoSucceeded' | 'heartbeat' })
  | (OfAttempt & { readonly type: 'stepFailed' | 'undoFailed'; readonly fault: FaultLine })
  | (OfAttempt & { readonly type: 'deferred'; readonly gate: string })
  /** `late`: the order was past its own deadline, and stopped or began its undo. */
  | (OfSweep & { readonly type: 'expired'; readonly late: boolean })
  | (OfSweep & {
      readonly type: 'interrupted';
      readonly reason: 'restart' | 'outage';
      readonly notBefore: number;
    })
  | (At & {
      readonly type: 'resubmit';
      readonly by: string;
      /** Fields of the details that were corrected. */
      readonly corrected: readonly string[];
    })
  | (At & { readonly type: 'cancel'; readonly by: string })
  /** `from`: the priority before. */
  | (At & {
      readonly type: 'reprioritise';
      readonly by: string;
      readonly priority: string;
      readonly from: string;
    })
  | (At & { readonly type: 'shortened'; readonly entries: number })
  /** An entry of a newer release, displayed by its title. */
  | (At & { readonly type: 'other'; readonly title: string });

/** The title of an entry that the server could read only partly. */
export const unknownEntryTitle = 'an entry that only a newer release of Reeve can read';
