/** Documents that code of an application shares with a Reeve in its process, and what it gives as objects of its classes. */
import { type Mistake, mistake } from './mistake.ts';

const copies = 'lib/runtime/copies';
const shared = 'test/runtime/shared-nothing.test.ts';
const classes = 'test/runtime/objects-of-classes.test.ts';

export const mistakesOfSharedDocuments: readonly Mistake[] = [
  mistake(
    `${copies}/workflow-copies.ts`,
    shared,
    'details that a schema passes on are those of the submitter',
    "resultOrigin(details) === 'new' ? details : details.transform(jsonCopy)",
    "resultOrigin(details) === 'new' ? details : details",
  ),
  mistake(
    `${copies}/workflow-copies.ts`,
    shared,
    'the code of a workflow gets the outputs of the record',
    'outputs: plainCopy(outputs)',
    'outputs',
  ),
  mistake(
    `${copies}/workflow-copies.ts`,
    shared,
    'the input of a request is what the code of the workflow keeps',
    'jsonCopy(input(contextCopy(context)))',
    'input(contextCopy(context))',
  ),
  mistake(
    `${copies}/agent-copies.ts`,
    shared,
    'a repeated call has what the first one made of its input',
    'agent.perform(plainCopy(input), call)',
    'agent.perform(input, call)',
  ),
  mistake(
    'lambdas/scheduler.ts',
    'test/lambdas/workflow-code.test.ts',
    'on AWS the code of a workflow gets the outputs of the record',
    'workflowRegistry(copyingWorkflows(workflows))',
    'workflowRegistry(workflows)',
  ),
  mistake(
    `${copies}/result-origin.ts`,
    'test/runtime/result-origin.test.ts',
    'a schema of trees is asked for its parts without end',
    "if (around.has(schema)) return 'new';",
    "if (around.has(around)) return 'new';",
  ),
  mistake(
    'lib/core/codec/submitted-details.ts',
    'test/core/refusals.test.ts',
    'what a schema makes of details is made from the first of its issues',
    'if (parsed.success) return details.safeParse(given);',
    'if (parsed.success) return parsed;',
  ),
  mistake(
    'lambdas/agent-handler.ts',
    'test/lambdas/agent-input.test.ts',
    'on AWS a repeated call has what the first one made of its input',
    'assembleAgent(copyingAgent(implementation), {',
    'assembleAgent(implementation, {',
  ),
  mistake(
    `${copies}/agent-copies.ts`,
    shared,
    'an output is what its agent makes of it while the reply waits',
    'output: jsonCopy(result.output)',
    'output: result.output',
  ),
  mistake(
    `${copies}/json-copy.ts`,
    'test/runtime/json-copy.test.ts',
    'a copy of a document sets its prototype',
    "if (key === '__proto__') putOwn(copy, key, inner);\n    else copy[key] = inner;",
    'copy[key] = inner;',
  ),
  mistake(
    'lib/runtime/local/activity/ended-calls.ts',
    'test/runtime/activity.test.ts',
    'of the calls that end with one write, the last one is counted',
    'Math.max(0, history.length - (revision - before.revision))',
    'Math.max(0, history.length - Math.min(1, revision - before.revision))',
  ),
  mistake(
    'lib/runtime/node/consequences-log.ts',
    'test/runtime/consequences-log.test.ts',
    'the method of a log is called without the log',
    'warn: (event, fields) => log.warn(event, fields),',
    'warn: log.warn,',
  ),
  mistake(
    'lib/runtime/local/start-options.ts',
    classes,
    'an option of a class is called without its object',
    'onAlert: given.onAlert.bind(given)',
    'onAlert: given.onAlert',
  ),
  mistake(
    'lib/ports/agent-implementation.ts',
    classes,
    'the undo of a class is called without its object',
    'undo: undo.bind(code)',
    'undo',
  ),
  mistake(
    'lib/ports/agent-implementation.ts',
    classes,
    'the code of an agent is the properties of an object, and no methods of its class',
    'concurrency, endpoints, perform, undo } = code;',
    'concurrency, endpoints, perform, undo } = { ...code };',
  ),
  mistake(
    'lib/runtime/local/alert-grouping.ts',
    'test/runtime/alert-grouping.test.ts',
    'all alerts of a cause wait for the end of its minute',
    'if (waiting === waitingMax) for',
    'if (waiting < 0) for',
  ),
];
