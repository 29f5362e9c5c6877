/** All mistakes that are planted in the simulated code, in the order of their table in docs/proof.md. */
import type { Mutant } from './mutant.ts';
import { mutantsOfContents } from './mutants-of-contents.ts';
import { mutantsOfCore } from './mutants-of-core.ts';
import { mutantsOfFlow } from './mutants-of-flow.ts';
import { mutantsOfLimits } from './mutants-of-limits.ts';
import { mutantsOfRecovery } from './mutants-of-recovery.ts';
import { mutantsOfRoles } from './mutants-of-roles.ts';
import { mutantsOfSingletons } from './mutants-of-singletons.ts';

export const mutants: readonly Mutant[] = [
  ...mutantsOfCore,
  ...mutantsOfRoles,
  ...mutantsOfFlow,
  ...mutantsOfLimits,
  ...mutantsOfRecovery,
  ...mutantsOfSingletons,
  ...mutantsOfContents,
];
