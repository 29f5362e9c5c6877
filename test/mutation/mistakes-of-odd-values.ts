/** Mistakes that only values show which no type allows: code without types returns and throws them. */
import { type Mistake, mistake } from './mistake.ts';

const agentsTest = 'test/roles/untyped-agents.test.ts';
const inputsTest = 'test/core/replies.test.ts';

export const mistakesOfOddValues: readonly Mistake[] = [
  mistake(
    'lib/core/model/fault.ts',
    agentsTest,
    'the effect of a fault is stored as the code of the agent gives it',
    "effect: effect === 'none' ? 'none' : 'possible'",
    'effect',
  ),
  mistake(
    'lib/core/definition/output.ts',
    agentsTest,
    'an output that has a large integer is sent',
    'if (error !== undefined) return invalid',
    "if (error !== undefined && error.issues[0]?.path[0] !== 'plate') return invalid",
  ),
  mistake(
    'lib/core/definition/output.ts',
    agentsTest,
    'what an output throws when it is read counts as a failed call',
    'return invalid(`cannot be read',
    'throw error; return invalid(`cannot be read',
  ),
  mistake(
    'lib/core/decide/start-step.ts',
    inputsTest,
    'an input that is no JSON is requested',
    "return jsonSchema.safeParse(input).success ? 'large' : 'no-json';",
    "return jsonSchema.safeParse(input).success ? 'large' : 'small';",
  ),
  mistake(
    'lib/core/codec/json-size.ts',
    'test/core/json-size.test.ts',
    'the size of a document is counted however deep it nests',
    'return depth === 0 ? Number.POSITIVE_INFINITY : insideBytesAtMost(value, enough, depth - 1);',
    'return insideBytesAtMost(value, enough, depth - 1);',
  ),
  mistake(
    'lib/roles/transitions/decide-together.ts',
    'test/roles/decide-together.test.ts',
    'an event that throws undoes the events before it',
    '    } catch {\n',
    '    } catch (error) {\n      throw error;\n',
  ),
  mistake(
    'lib/roles/agent/open-deadlines.ts',
    'test/roles/open-deadlines.test.ts',
    'a deadline that has ended sets a timer when it is moved',
    'if (open.has(deadline)) fireAt',
    'fireAt',
  ),
  mistake(
    'lib/ports/agent-implementation.ts',
    'test/core/option-forms.test.ts',
    'a misspelt option of the code of an agent has no effect',
    '...(!isOfClass && code), contract',
    'contract',
  ),
  mistake(
    'lib/ports/agent-implementation.ts',
    'test/core/option-forms.test.ts',
    'a field of the class of an agent stops its program',
    '...(!isOfClass && code), contract',
    '...code, contract',
  ),
  mistake(
    'lib/runtime/local/option-checks.ts',
    'test/runtime/option-checks.test.ts',
    'a response channel has a name that no submission can give',
    'if (!nameForm.pattern.test(name))',
    'if (name === nameForm.text)',
  ),
  mistake(
    'lib/runtime/local/http-server.ts',
    'test/runtime/option-checks.test.ts',
    'a misspelt option of a server has no effect',
    "checkOptions(serverForm, 'serveApi', options);",
    '',
  ),
];
