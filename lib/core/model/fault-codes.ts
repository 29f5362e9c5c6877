/**
 * The codes of faults that Reeve itself gives to steps and orders, with their meanings: docs/reference.md is
 * generated from this table. All other codes come from agents and their services.
 */
// Stryker disable all: these are sentences for people.

/** By code: what it means, and what an operator does about it. */
export const faultCodes = {
  cancelled: {
    meaning: 'An operator cancelled the order.',
    remedy: 'nothing: the order is undone',
  },
  'endpoints-missing': {
    meaning: 'The code of the agent asks for an endpoint, and the agent has none.',
    remedy: 'give the agent its `endpoints`, then `resubmit` or `cancel`',
  },
  exhausted: {
    meaning: 'The service did not answer in time on any attempt of the step.',
    remedy: 'restore the service, then `resubmit`',
  },
  'input-invalid': {
    meaning: 'The agent got an input that does not match the schema of its contract.',
    remedy: 'deploy a workflow and an agent that agree, then `resubmit`',
  },
  'input-too-large': {
    meaning: 'The code of the workflow gave a step an input that is too large for a message.',
    remedy: 'deploy code that asks for less, then `resubmit`',
  },
  irreversible: {
    meaning: 'The order must be undone, and an irreversible step happened or may have happened.',
    remedy: 'remove the cause, which the message contains, then `resubmit`',
  },
  late: {
    meaning: 'The order was not finished within the `completeWithin` of its workflow.',
    remedy:
      'nothing if the order is undone; else find out what delayed it (`reeve show`), then `resubmit`, which continues without that deadline, or `cancel`',
  },
  'output-invalid': {
    meaning: 'The agent returned an output that is not JSON or does not match its schema.',
    remedy: 'correct the agent or the schema, then `resubmit` or `cancel`',
  },
  'output-too-large': {
    meaning: 'The agent returned a larger output than the step may have.',
    remedy:
      'make it return less, or set `outputBytesMax` in the next version of the workflow; then `resubmit` or `cancel`',
  },
  'record-too-large': {
    meaning:
      'The record of the order is full of outputs and corrections, and older entries of its history that could be dropped are not enough; on a step: the step was done, and its output could not be stored.',
    remedy:
      '`cancel` the order, unless an irreversible step happened, and submit the rest as another order; where the store has refused a smaller record, `resubmit` it',
  },
  'too-many-claims': {
    meaning: 'The order was claimed more often than its policies can cause.',
    remedy:
      'find out what interrupts the order, for example a Scheduler that fails, then `resubmit`',
  },
  'undo-stuck': {
    meaning:
      'A service refused an undo, or it did not answer in time on any attempt, by default for about 24 h.',
    remedy: 'remove the cause; `resubmit` tries the undo again',
  },
  'workflow-code': {
    meaning:
      'The `input` or `when` of a step threw an error, or returned undefined or an input that is not JSON.',
    remedy: 'deploy a version whose code works, then `resubmit`',
  },
  'workflow-unknown': {
    meaning: 'This release does not have the workflow of the order, or has it changed.',
    remedy: 'deploy the version that the order began with, unchanged, then `resubmit`',
  },
} as const;

/** A code that Reeve itself gives. */
export type FaultCode = keyof typeof faultCodes;
