/** Properties try the same cases each time, so that a mutant's survival does not depend on chance. */
import fc from 'fast-check';

fc.configureGlobal({ seed: 1 });
