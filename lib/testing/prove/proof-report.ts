/** The result of a proof. */

/** A mistake that a world has shown. */
export interface ProvenMistake {
  /** Of the first world that showed it: with it as `firstSeed`, the proof begins there. */
  readonly seed: number;
  /** A kind of mistake, such as `effect-left`, or a rule of docs/design.md, such as `R16`. */
  readonly rule: string;
  /** What happened. */
  readonly message: string;
  /** What that means, and what to do. */
  readonly explanation: string;
  /** The shortest way to it that was found. */
  readonly shortest: {
    readonly orders: number;
    /** The faults that happened, with how often. */
    readonly faults: readonly (readonly [name: string, times: number])[];
    /** What happened, line by line, in virtual time. */
    readonly story: readonly string[];
  };
}

/** The exploration of a workflow: an order with one attempt for each call, in which everything that can happen does. */
export interface Explored {
  readonly workflow: string;
  readonly version: number;
  readonly states: number;
  /** False: there are more. */
  readonly isComplete: boolean;
}

/** One version of a workflow in the worlds of a proof. */
export interface ProvenWorkflow {
  readonly workflow: string;
  readonly version: number;
  /** How many orders of it were stored in all worlds, also those without faults that come before the others. */
  readonly orders: number;
  /** How many of them were Processed. */
  readonly processed: number;
  /** How many of them were Undone. */
  readonly undone: number;
}

/** The result of a proof. */
export interface ProofReport {
  /** Whether no world showed a mistake. What no world came to is in `notCovered`. */
  readonly isProven: boolean;
  /** How many worlds were simulated. */
  readonly worlds: number;
  readonly orders: number;
  /** Virtual time of all worlds, hours. */
  readonly hours: number;
  /** Real time, ms. */
  readonly tookMs: number;
  /** Every version that was given. */
  readonly workflows: readonly ProvenWorkflow[];
  /**
   * What no world came to, in sentences: a step that was never Completed, an undo that was never called, an agent without an effect.
   * Nothing is proven of it. Empty where there is a mistake, because the worlds after it were not simulated.
   */
  readonly notCovered: readonly string[];
  /** The workflows that are small enough for every state of an order to be explored. */
  readonly explored: readonly Explored[];
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
  /** Of the first world that showed any. */
  readonly mistakes: readonly ProvenMistake[];
  /** The report for people. */
  readonly text: string;
}

/** A proof has failed; the message is the report. */
export class NotProvenError extends Error {
  readonly report: ProofReport;

  constructor(report: ProofReport) {
    super(report.text);
    this.name = 'NotProvenError';
    this.report = report;
  }
}
