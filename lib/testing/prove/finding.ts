/** What `prove` finds besides the rules of Reeve: mistakes of workflows, agents and services. */

/** The kinds of mistakes. */
export const findingKinds = {
  'effect-twice': 'a step has an effect twice',
  'effect-left': 'an effect is left although the order was undone',
  'effect-gone': 'an effect is gone although the order was processed',
  'effect-unknown': 'an effect is left that the completed step does not know of',
  'effect-shared': 'a step is answered with the effect of another step or order',
  'fault-swallowed': 'an agent returns as if it had succeeded, and its service gave no answer',
  'code-throws':
    'the code of an agent or a workflow throws an error although nothing fails, or returns what is no key',
  'undo-fails': 'an undo fails although nothing fails',
  'deadline-short': 'a service takes longer than the deadline of its step',
  'agent-late': 'an agent calls its service after its deadline',
  'output-changes': 'an agent answers the same request differently',
  'not-pure': 'a function of the workflow depends on more than its argument',
  'calls-outside': 'an agent calls a service over the real network',
  'waits-outside': 'an agent waits for something that is not simulated',
  'not-awaited': 'the code of an agent does not wait for a promise that fails',
  'never-processed': 'no order of the workflow is processed in any world',
} as const;

export type FindingKind = keyof typeof findingKinds;

export const isFindingKind = (name: string): name is FindingKind => name in findingKinds;

/** One mistake, with a text about the case. */
export interface Finding {
  readonly kind: FindingKind;
  readonly message: string;
}

/** Receives each mistake. */
export type Find = (kind: FindingKind, message: string) => void;
