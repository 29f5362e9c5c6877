/** Mistakes in what a lost region, a lost table or a stopped part needs. */
import { type Mistake, mistake } from '../mistake.ts';

export const mistakesOfRegions: readonly Mistake[] = [
  mistake(
    'lib/infra/operations/dashboard.ts',
    'test/infra/construct.test.ts',
    'a deployment of the same name in a second region is refused because of its dashboard',
    'Stack.of(scope).region',
    "''",
  ),
];
