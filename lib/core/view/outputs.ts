/** What the steps of an order returned. */

/** A step as its record or the document of its order has it. */
export interface StepWithOutput {
  readonly state: string;
  readonly output?: unknown;
}

/** The outputs by the names of the steps; `undefined` for a step that is not Completed, such as one that was skipped. */
export function outputsOf(
  steps: readonly (readonly [name: string, step: StepWithOutput])[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    steps.map(([name, { state, output }]) => [name, state === 'Completed' ? output : undefined]),
  );
}
