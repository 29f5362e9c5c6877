/** `reeve check`, `reeve backup` and `reeve restore`: the commands for the data of an embedded Reeve. */

import { resolve } from 'node:path';
import { ReeveError, UnavailableError } from '#core/model/errors.ts';
import { assertNew, partOf, publish, removeLeftParts } from '#embedded/copies/new-file.ts';
import { hasData, restoreData } from '#embedded/copies/restore.ts';
import { isThere, removeDatabase } from '#embedded/data-files.ts';
import { acceptLoss, examineBackup, examineData } from '#embedded/integrity/examine.ts';
import type { Clock } from '#ports/clock.ts';
import { askForBackup } from '#runtime/node/control-socket.ts';
import { databaseIn, otherData, ownDataDir, socketIn } from './data-directory.ts';
import { type DataOutcome, examinedOutcome, restoredOutcome } from './data-report.ts';

/** A command with its options. */
export type DataCommand =
  | { readonly kind: 'check'; readonly acceptLoss: boolean }
  | { readonly kind: 'backup'; readonly file: string }
  | { readonly kind: 'restore'; readonly file: string; readonly yes: boolean };

/** Codes of errors that every retry of the same command repeats, until the operator changes something. */
const refusals: readonly string[] = [
  'data-exists',
  'file-exists',
  'file-missing',
  'store-in-use',
  'store-damaged',
  'backup-damaged',
];

/** Runs a command. The exit codes are those of `reeve --help`; 3 also when data is damaged or missing. */
export async function dataCommand(
  dataDir: string,
  command: DataCommand,
  clock: Clock,
): Promise<DataOutcome> {
  try {
    switch (command.kind) {
      case 'check':
        return check(databaseIn(dataDir), command.acceptLoss);
      case 'backup':
        return await backUp(dataDir, resolve(command.file), clock);
      case 'restore':
        return restore(dataDir, command, clock);
    }
  } catch (error) {
    if (!(error instanceof ReeveError)) throw error;
    const { code, message } = error;
    return { exitCode: exitCodeOf(error), document: {}, lines: [], error: { code, message } };
  }
}

function exitCodeOf(error: ReeveError): 2 | 3 | 4 {
  if (error instanceof UnavailableError) return 4;
  return refusals.includes(error.code) ? 3 : 2;
}

function check(path: string, accepts: boolean): DataOutcome {
  if (!hasData(path)) {
    throw new ReeveError('file-missing', `There is no file ${path}. ${otherData}`);
  }
  const kept = accepts ? acceptLoss(path) : null;
  const examined = examineData(path);
  const isReadable = examined.orders !== null;
  const advice = `Keep a copy of the data. Then restore a backup with \`reeve restore FILE --yes\`${isReadable ? ', or continue with the remaining data' : ': a start on these data is refused'}.`;
  const outcome = examinedOutcome(path, examined, advice);
  if (kept === null) return outcome;
  const { document, lines } = outcome;
  const note = `The log, which is only partly readable, is kept as ${kept}.`;
  return { ...outcome, document: { ...document, kept }, lines: [...lines, note] };
}

/** The running Reeve makes a part, which gets its name when it was checked. */
async function backUp(dataDir: string, file: string, clock: Clock): Promise<DataOutcome> {
  assertNew(file);
  const part = partOf(file);
  removeLeftParts(file, clock.now());
  try {
    await askForBackup(socketIn(dataDir), part);
    // SQLite would make an empty database to check.
    if (!isThere(part)) throw notSeen(part);
    const examined = examineBackup(part);
    if (examined.findings.length === 0) publish(part, file);
    const advice = 'No backup was made. Stop Reeve, and run `reeve check`.';
    return examinedOutcome(file, examined, advice);
  } finally {
    removeDatabase(part);
  }
}

const notSeen = (part: string) =>
  new ReeveError(
    'file-unusable',
    `Reeve has made the backup ${part}, but there is no such file here: it sees other files than this command, as in a container. Delete that file there, and run the command where Reeve runs, or name a file in a directory that both see.`,
  );

function restore(
  dataDir: string,
  { file, yes }: Extract<DataCommand, { kind: 'restore' }>,
  clock: Clock,
): DataOutcome {
  const path = databaseIn(dataDir);
  if (hasData(path) && !yes) {
    throw new ReeveError(
      'data-exists',
      `${dataDir} contains data. With --yes, it is renamed and ${file} replaces it.`,
    );
  }
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-');
  return restoredOutcome(dataDir, file, restoreData(file, path, stamp));
}

/** The data directory: the option, else REEVE_DATA, else that of the user's own Reeve. */
export const dataDirOf = (env: Readonly<Record<string, string | undefined>>, given?: string) =>
  given ?? env['REEVE_DATA'] ?? ownDataDir;
