/** Prints, as JSON, the agents whose calls are limited, each with the names of its rates. Run at synthesis (deployed-limits.ts). */
import { limitsOf } from '#core/definition/registry.ts';
import { workflows } from '#workflows/shipped.ts';

const rates = [...limitsOf(workflows)].map(([agent, { own, shared }]) => [
  agent,
  [...shared, ...own].flatMap(({ name, rate }) => (rate === null ? [] : [name])),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(rates)));
