/** Mistakes with sensitive fields, and with what alarms look at, that tests once missed. */
import type { Mistake } from './mistake.ts';

const redaction = 'test/core/redaction.test.ts';

export const mistakesOfMarks: readonly Mistake[] = [
  {
    name: 'a part of the details that a transformation hides is shown',
    file: 'lib/core/definition/sensitive/sensitivity.ts',
    text: '  if (before?.hasMarks() && !after?.hasMarks()) return [[]];\n',
    instead: '',
    test: redaction,
  },
  {
    name: 'a schema whose id has a slash has no marks',
    file: 'lib/core/definition/sensitive/schema-part.ts',
    text: ".replaceAll('~1', '/')",
    instead: '',
    test: redaction,
  },
  {
    name: 'a loose record has no marks',
    file: 'lib/core/definition/sensitive/schema-part.ts',
    text: 'own ?? matching ?? additionalProperties',
    instead: 'own ?? additionalProperties',
    test: redaction,
  },
  {
    name: 'the metrics of an existing function are not those of the deployment',
    file: 'lambdas/metrics.ts',
    text: 'deployment !== undefined && { serviceName: deployment }',
    instead: '{}',
    test: 'test/lambdas/metrics.test.ts',
  },
];
