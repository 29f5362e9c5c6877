/** What the same three steps cost elsewhere, with the agents' own functions as Reeve has them, unbatched. */
import { functionGb, invocationMs, prices } from './prices.ts';

const million = 1_000_000;
const steps = 3;

/** The functions that call the services: nobody else batches them. */
const agents =
  steps *
  (prices.lambdaRequest + (invocationMs.agent / 1_000) * functionGb * prices.lambdaGbSecond);

/** Start, three tasks, success; no retry, no undo. */
const standardTransitions = steps + 2;
/** Express bills time in pieces of 100 ms and memory in pieces of 64 MB. */
const expressSeconds = (Math.ceil((steps * invocationMs.agent) / 100) * 100) / 1_000;
const expressGb = 0.0625;
/** One operation for the start, one for each checkpointed step (Lambda durable functions pricing). */
const durableOperations = steps + 1;
const durableBytes = steps * 1_024;

/** Dollars per million orders, each with an API request in front. */
export function peers() {
  const of = (orchestration: number) =>
    round((orchestration + agents + prices.apiRequest) * million);
  return {
    stepFunctionsStandard: of(standardTransitions * prices.standardTransition),
    stepFunctionsExpress: of(
      prices.expressRequest + expressSeconds * expressGb * prices.expressGbSecond,
    ),
    lambdaDurableFunctions: of(
      durableOperations * prices.durableOperation +
        (durableBytes / 1e9) * prices.durableGbWritten +
        // It is suspended while it waits, but runs once for every step.
        (steps + 1) * prices.lambdaRequest,
    ),
  };
}

export const round = (dollars: number) => Math.round(dollars * 100) / 100;
