/** Mistakes at the edges of the testing kit, the suppliers, the pages of the site and the programs. */
import { type Mistake, mistake } from '../mistake.ts';

const slow = 'test/testing/slow-service.test.ts';
const lost = 'test/testing/lost-promises.test.ts';
const progress = 'test/testing/proof-progress.test.ts';
const supplierCommand = 'test/suppliers/command.test.ts';
const terminal = 'test/runtime/terminal-errors.test.ts';
const main = 'test/packaging/template-main.test.ts';

export const mistakesOfPrograms: readonly Mistake[] = [
  mistake(
    'lib/testing/kit/scripted-service.ts',
    slow,
    'a slow service has no effect where its caller waits no more',
    'late(() => effect(), entry.ms, after)',
    'late(() => (signal.throwIfAborted(), effect()), entry.ms, after)',
  ),
  mistake(
    'lib/testing/kit/scripted-service.ts',
    slow,
    'the call of a slow service goes on after its signal has aborted',
    'Promise.race([late(() => effect(), entry.ms, after), aborted(signal)])',
    'late(() => effect(), entry.ms, after)',
  ),
  mistake(
    'lib/testing/kit/scripted-service.ts',
    slow,
    'the refusal of a slow service is a lost promise',
    'resolve(effect());\n      } catch (error) {\n        reject(error);',
    'resolve(effect());\n      } catch (error) {\n        void Promise.reject(error);',
  ),
  mistake(
    'lib/testing/prove/prove.ts',
    progress,
    'a proof says the seed of a world in place of the number of worlds',
    'onProgress(worlds);\n',
    'onProgress(seed);\n',
  ),
  mistake(
    'lib/testing/prove/prove.ts',
    progress,
    'a proof says its progress after each world',
    'if (worlds % batch === 0) ',
    '',
  ),
  mistake(
    'lib/testing/prove/prove.ts',
    progress,
    'what the worlds before a mistake did not come to is reported beside it',
    'mistakes.length === 0 ? notCovered(proof, tally, faults.size) : []',
    'notCovered(proof, tally, faults.size)',
  ),
  mistake(
    'lib/testing/prove/prove.ts',
    lost,
    'each promise that a world loses is a mistake of its own',
    'lost.take().slice(0, 1)',
    'lost.take()',
  ),
  mistake(
    'lib/testing/prove/process/one-proof.ts',
    lost,
    'promises that the last worlds lose reach the process',
    'await nextTurn();',
    '',
  ),
  mistake(
    'lib/testing/prove/process/lost-promises.ts',
    lost,
    'a promise that other code loses while no one listens is dropped',
    ' || others.length === 0',
    '',
  ),
  mistake(
    'lib/suppliers/supplier-routes.ts',
    'test/suppliers/undo.test.ts',
    'the key of an undone perform has any length',
    'performKey: keySchema',
    'performKey: z.string()',
  ),
  mistake(
    'lib/suppliers/supplier-routes.ts',
    'test/suppliers/perform.test.ts',
    'the longest key is refused',
    'max(255)',
    'max(254)',
  ),
  mistake(
    'lib/suppliers/supplier-faults.ts',
    'test/suppliers/supplier-faults.test.ts',
    'a latency may be negative',
    'z.int().min(0).max(60_000)',
    'z.int().max(60_000)',
  ),
  mistake(
    'lib/cli/commands/suppliers-command.ts',
    'test/cli/suppliers.test.ts',
    'the command sends a negative number',
    '/^\\d{1,9}',
    '/^-?\\d{1,9}',
  ),
  mistake(
    'bin/suppliers.ts',
    supplierCommand,
    'a further SIGTERM ends the suppliers before they are closed',
    "process.on('SIGTERM', stop)",
    "process.once('SIGTERM', stop)",
  ),
  mistake(
    'lib/suppliers/ledger.ts',
    supplierCommand,
    'what the suppliers have answered is lost when they are killed',
    "this.#db.exec('COMMIT');",
    '',
  ),
  mistake(
    'lib/runtime/node/supplier-process.ts',
    'test/runtime/supplier-process.test.ts',
    'a stop waits for suppliers that hang',
    "child.kill('SIGKILL')",
    "child.kill('SIGTERM')",
  ),
  mistake(
    'create-reeve/template/embedded/src/main.ts',
    main,
    'the program of a new project is ended by SIGTERM, and not closed',
    "'SIGINT', 'SIGTERM'",
    "'SIGINT', 'SIGHUP'",
  ),
  mistake(
    'create-reeve/template/embedded/src/main.ts',
    main,
    'the program of a new project leaves its data open',
    'reeve.close();',
    '',
  ),
  mistake(
    'lib/docs-site/doc-comment.ts',
    'test/docs-site/doc-comment.test.ts',
    'braces in the text of a doc comment are an expression of Vue',
    ".replaceAll('{{', '&#123;&#123;')",
    '',
  ),
  mistake(
    'lib/docs-site/repository-links.ts',
    'test/docs-site/repository-links.test.ts',
    'a link that begins at the root of the site is taken for a file',
    '/^(\\w+:|\\/)/',
    '/^\\w+:/',
  ),
  mistake(
    'lib/runtime/command/terminal-errors.ts',
    terminal,
    'the terminal shows an error again only after more than a minute',
    'Math.abs(now - before.at) < againMs',
    'Math.abs(now - before.at) <= againMs',
  ),
  mistake(
    'lib/runtime/command/terminal-errors.ts',
    terminal,
    'a known error makes the terminal forget all others',
    'before === undefined && known.size >= errorsMax',
    'known.size >= errorsMax',
  ),
  mistake(
    'lib/runtime/command/terminal-errors.ts',
    terminal,
    'the terminal remembers errors without bound',
    'known.clear();',
    'void known;',
  ),
  mistake(
    'lib/runtime/node/user-stack.ts',
    terminal,
    'an error has all frames of its stack',
    '.slice(0, framesMax)',
    '',
  ),
];
