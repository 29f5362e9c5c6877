/** Mistakes of the command line: addresses, patience, options that exclude each other, and what is drawn. */
import { type Mistake, mistake } from '../mistake.ts';

export const mistakesOfCommands: readonly Mistake[] = [
  mistake(
    'lib/cli/context.ts',
    'test/cli/addresses.test.ts',
    'a proposed command calls another Reeve',
    "if (stack !== undefined) return ['--stack', stack];",
    '',
  ),
  mistake(
    'lib/cli/local-commands.ts',
    'test/cli/addresses.test.ts',
    'a command that calls no Reeve ignores the address of one',
    "onlyHere(others, '`reeve prove` calls no Reeve');",
    'void others;',
  ),
  mistake(
    'lib/cli/api/stack.ts',
    'test/cli/addresses.test.ts',
    'requests to a stack with a domain of its own are not signed',
    'if (stack === null && region === undefined) return world.fetch;',
    'if (region === undefined) return world.fetch;',
  ),
  mistake(
    'lib/cli/api/follow.ts',
    'test/cli/patience.test.ts',
    'an order that is deleted is followed for half a minute',
    'if (isOver || error.code !== exitCodes.failed)',
    'if (isOver)',
  ),
  mistake(
    'lib/cli/api/http-api.ts',
    'test/cli/patience.test.ts',
    'a cancel of a listed revision is not sent again',
    "'if-match' in headers || ",
    '',
  ),
  mistake(
    'lib/cli/commands/bulk-command.ts',
    'test/cli/patience.test.ts',
    'a bulk action sends all requests at once',
    'const atOnce = 8;',
    'const atOnce = 800;',
  ),
  mistake(
    'lib/cli/commands/bulk-command.ts',
    'test/cli/patience.test.ts',
    'a bulk action that may be repeated exits as one that may not',
    'if (failed.length > 0) return exitCodes.failed;\n  return refused.length > 0 ? exitCodes.refused : exitCodes.done;',
    'if (refused.length > 0) return exitCodes.refused;\n  return failed.length > 0 ? exitCodes.failed : exitCodes.done;',
  ),
  mistake(
    'lib/cli/local-commands.ts',
    'test/cli/combinations.test.ts',
    'restore replaces data without --yes',
    "act({ kind: 'restore', file, yes }, options)",
    "act({ kind: 'restore', file, yes: yes || true }, options)",
  ),
  mistake(
    'lib/cli/commands/operator-command.ts',
    'test/cli/combinations.test.ts',
    'an id with one filter is taken as an id',
    'if (filterWords(filter).length > 0) {',
    'if (filterWords(filter).length > 1) {',
  ),
  mistake(
    'lib/cli/commands/dlq-command.ts',
    'test/cli/combinations.test.ts',
    'dead letters of a queue are sent back in any sequence',
    'for (const one of judged) done.push(await carryOut(one));',
    'done.push(...(await Promise.all(judged.map(carryOut))));',
  ),
  mistake(
    'lib/cli/output/terminal.ts',
    'test/cli/drawing.test.ts',
    'a frame is higher than its terminal',
    'const shown = head.slice(0, room);',
    'const shown = head;',
  ),
  mistake(
    'lib/cli/commands/dlq-command.ts',
    'test/cli/combinations.test.ts',
    'dead letters stay hidden where their orders cannot be read',
    'await release(deadLetters);\n    throw error;',
    'throw error;',
  ),
];
