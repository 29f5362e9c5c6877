/** The cost of the same three steps on other services, with the same agent functions, unbatched. */
import { functionGb, invocationMs, prices } from './prices.ts';

const million = 1_000_000;
const steps = 3;

/** The functions that call the services; other orchestrators do not batch their calls. */
const agents =
  steps *
  (prices.lambdaRequest + (invocationMs.agent / 1_000) * functionGb * prices.lambdaGbSecond);

/** Start, three tasks, success; no retry, no undo. */
const standardTransitions = steps + 2;
/** Express rounds up to 100 ms and 64 MB. */
const expressSeconds = (Math.ceil((steps * invocationMs.agent) / 100) * 100) / 1_000;
const expressGb = 0.0625;
/** One operation for the start and one per checkpointed step (Lambda durable functions pricing). */
const durableOperations = steps + 1;
const durableBytes = steps * 1_024;

/** Dollars per million orders, each with an API request in front. */
export function peers() {
  const priceOf = (orchestration: number) =>
    round((orchestration + agents + prices.apiRequest) * million);
  return {
    stepFunctionsStandard: priceOf(standardTransitions * prices.standardTransition),
    stepFunctionsExpress: priceOf(
      prices.expressRequest + expressSeconds * expressGb * prices.expressGbSecond,
    ),
    lambdaDurableFunctions: priceOf(
      durableOperations * prices.durableOperation +
        (durableBytes / 1e9) * prices.durableGbWritten +
        // The function is suspended while it waits, and runs once per step.
        (steps + 1) * prices.lambdaRequest,
    ),
  };
}

export const round = (dollars: number) => Math.round(dollars * 100) / 100;
