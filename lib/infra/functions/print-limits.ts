/** Prints the limits of workflows, in the program that is run at synthesis (deployed-limits.ts). */
import { limitsOf } from '#core/definition/registry.ts';

/** As JSON: the agents whose calls are limited, each with the names of its rates. */
export function printLimits(workflows: Parameters<typeof limitsOf>[0]): void {
  const rates = [...limitsOf(workflows)].map(([agent, { own, shared }]) => [
    agent,
    [...shared, ...own].flatMap(({ name, rate }) => (rate === null ? [] : [name])),
  ]);
  process.stdout.write(JSON.stringify(Object.fromEntries(rates)));
}
