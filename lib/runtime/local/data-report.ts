/** The reports of the data commands: lines for operators, a document for programs. */
import { basename } from 'node:path';
import type { Restored } from '#embedded/copies/restore.ts';
import type { Finding } from '#embedded/integrity/damage-report.ts';
import type { Examined } from '#embedded/integrity/examine.ts';

/** The result of a data command. */
export interface DataOutcome {
  readonly exitCode: 0 | 2 | 3 | 4;
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** The reason for an exit code other than 0; null for 0. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** @param advice what to do about damage */
export function examinedOutcome(file: string, examined: Examined, advice: string): DataOutcome {
  const { orders, changes, findings } = examined;
  const count = findings.length.toLocaleString('en');
  const isSound = findings.length === 0;
  return {
    exitCode: isSound ? 0 : 3,
    document: { file, orders, changes, findings },
    lines: [
      file,
      ...counted('orders checked', orders),
      ...counted('changes checked', changes),
      ...counted('damaged', findings.length),
      ...findings.map((finding) => `    ${where(finding, file)}: ${finding.reason}`),
    ],
    error: isSound
      ? null
      : {
          code: 'store-damaged',
          message: `${count} ${findings.length === 1 ? 'thing is' : 'things are'} damaged or missing. ${advice}`,
        },
  };
}

/** The report of a restore; `kept`: the path to which the former database was renamed, null where there was none. */
export function restoredOutcome(
  dataDir: string,
  file: string,
  { kept, orders, changes }: Restored,
): DataOutcome {
  return {
    exitCode: 0,
    document: { file, data: dataDir, orders, changes, kept },
    lines: [
      `Restored ${dataDir} from ${file}:`,
      ...counted('orders', orders),
      ...counted('changes', changes),
      ...(kept === null ? [] : [`The former data is kept as ${kept}.`]),
      `Next: start Reeve on it (REEVE_DATA=${dataDir}), and have orders that were accepted after the backup submitted again.`,
    ],
    error: null,
  };
}

const counted = (what: string, count: number | null) =>
  count === null ? [] : [`  ${what.padEnd(16)}  ${count.toLocaleString('en')}`];

/** Describes parts that are not tables of Reeve in plain words. */
function where({ table, row }: Finding, file: string): string {
  switch (table) {
    case 'database':
      return `the file ${basename(file)}`;
    case 'Totals':
      return 'the totals of accepted work';
    case 'sqlite_schema':
      return 'the tables as a whole';
    default:
      return row === null ? `table ${table}` : `table ${table}, row ${row}`;
  }
}
