/** `reeve check`, `reeve backup` and `reeve restore`: what an operator does with the data of an embedded Reeve. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { ReeveError } from '#core/errors.ts';
import {
  acceptLoss,
  type Examined,
  examineBackup,
  examineData,
  restoreData,
} from '#embedded/examine.ts';
import type { Clock } from '#ports/clock.ts';
import { askForBackup } from './control-socket.ts';
import { databaseIn, socketIn } from './data-directory.ts';

export type DataCommand =
  | { readonly kind: 'check'; readonly acceptLoss: boolean }
  | { readonly kind: 'backup'; readonly file: string }
  | { readonly kind: 'restore'; readonly file: string; readonly yes: boolean };

export interface DataIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly clock: Clock;
}

const done = 0;
const cannot = 2;
const damaged = 3;

/** Gives the exit code: 0, 2 when it cannot be done, 3 when something is damaged or missing. */
export async function dataCommand(
  dataDir: string,
  command: DataCommand,
  io: DataIo,
): Promise<number> {
  try {
    switch (command.kind) {
      case 'check':
        return check(databaseIn(dataDir), command.acceptLoss, io);
      case 'backup':
        return await backUp(dataDir, resolve(command.file), io);
      case 'restore':
        return restore(dataDir, command, io);
    }
  } catch (error) {
    if (!(error instanceof ReeveError)) throw error;
    io.stderr(`${error.message} (${error.code})\n`);
    return error.code === 'backup-damaged' ? damaged : cannot;
  }
}

function check(path: string, accepts: boolean, io: DataIo): number {
  assertThere(path);
  if (accepts) acceptLoss(path);
  return report(path, examineData(path), io);
}

async function backUp(dataDir: string, file: string, io: DataIo): Promise<number> {
  if (existsSync(file)) throw new ReeveError('file-exists', `${file} exists. Name another file.`);
  const part = `${file}.part`;
  rmSync(part, { force: true });
  await askForBackup(socketIn(dataDir), part);
  const examined = examineBackup(part);
  if (examined.findings.length > 0) return report(part, examined, io);
  renameSync(part, file);
  return report(file, examined, io);
}

function restore(
  dataDir: string,
  { file, yes }: Extract<DataCommand, { kind: 'restore' }>,
  io: DataIo,
): number {
  const path = databaseIn(dataDir);
  assertThere(file);
  if (existsSync(path) && !yes) {
    throw new ReeveError(
      'data-exists',
      `${dataDir} holds data. With --yes they are kept under another name and ${file} takes their place.`,
    );
  }
  const stamp = new Date(io.clock.now()).toISOString().replaceAll(/[:.]/g, '-');
  const kept = restoreData(file, path, stamp);
  io.stdout(`Restored ${path} from ${file}.\n`);
  if (kept !== null) io.stdout(`What was there is kept as ${kept}.\n`);
  return done;
}

function assertThere(path: string): void {
  if (!existsSync(path)) throw new ReeveError('file-missing', `There is no file ${path}.`);
}

function report(path: string, { orders, changes, findings }: Examined, io: DataIo): number {
  io.stdout(`${path}\n`);
  io.stdout(`  orders checked    ${orders.toLocaleString('en')}\n`);
  io.stdout(`  changes checked   ${changes.toLocaleString('en')}\n`);
  io.stdout(`  damaged           ${findings.length.toLocaleString('en')}\n`);
  for (const { table, row, reason } of findings) {
    io.stdout(`    ${table}${row === null ? '' : ` row ${row}`}: ${reason}\n`);
  }
  return findings.length === 0 ? done : damaged;
}

export const dataDirOf = (env: Readonly<Record<string, string | undefined>>, given?: string) =>
  given ?? env['REEVE_DATA'] ?? '.reeve';
