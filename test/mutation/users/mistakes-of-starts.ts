/** Mistakes of starts and of the testing kit: what was said does not arrive. */
import { type Mistake, mistake } from '../mistake.ts';

export const mistakesOfStarts: readonly Mistake[] = [
  mistake(
    'lib/runtime/command/configured-options.ts',
    'test/runtime/wiring.test.ts',
    'REEVE_TENANT_WEIGHTS is ignored',
    'tenantWeights !== undefined && { tenantWeights }',
    'tenantWeights !== undefined && {}',
  ),
  mistake(
    'lib/runtime/command/shipped-orders.ts',
    'test/runtime/wiring.test.ts',
    'a service is called at the address of another one',
    'inventory: config.REEVE_INVENTORY_URL ??',
    'inventory: config.REEVE_PAYMENT_URL ??',
  ),
  mistake(
    'lib/runtime/local/named-tokens.ts',
    'test/runtime/named-tokens.test.ts',
    'the scheme of a token must be written as one client writes it',
    '/^Bearer ([\\x21-\\x7e]+)$/i',
    '/^Bearer ([\\x21-\\x7e]+)$/',
  ),
  mistake(
    'lib/testing/kit/test-reeve.ts',
    'test/testing/kit-options.test.ts',
    'the virtual time of a test ignores its beginning',
    'startAt === undefined ? testClock() : testClock(checkedStart(startAt))',
    'startAt === undefined ? testClock() : (checkedStart(startAt), testClock())',
  ),
  mistake(
    'lib/testing/kit/scripted-service.ts',
    'test/testing/kit-options.test.ts',
    'a scripted call that may have had an effect has none',
    "if (entry.fault.effect === 'none') refuse();\n          else effect();",
    'refuse();',
  ),
];
