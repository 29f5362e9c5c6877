/** The corrections of a resubmit: paths and new values, as typed, and what is sent for them. */
import { redacted } from '#core/view/redacted.ts';
import { inexactNumber } from '#text/inexact-number.ts';

export interface CorrectionRow {
  readonly path: string;
  readonly value: string;
  /** The operator wants the other meaning of the value. */
  readonly isOther: boolean;
}

export const emptyRow: CorrectionRow = { path: '', value: '', isOther: false };

/** The corrections of all rows with a path; null when nothing is corrected. @param details of the order, as they are shown */
export function correctionBody(
  rows: readonly CorrectionRow[],
  details: unknown,
): { readonly set: Readonly<Record<string, unknown>> } | null {
  const meant = rows.filter(({ path }) => path.trim() !== '');
  if (meant.length === 0) return null;
  return {
    set: Object.fromEntries(
      meant.map((row) => [row.path.trim(), meaningOf(row, details).sent.value]),
    ),
  };
}

/** What is sent for a row, in words: `the text "4242"`. */
export interface MeaningText {
  readonly sent: string;
  /** What the same characters can mean as well; null for nothing else. */
  readonly other: string | null;
  /** Why a number is sent as a text, or that only the operator can know which is right; null for neither. */
  readonly note: string | null;
}

export function meaningText(row: CorrectionRow, details: unknown): MeaningText {
  const { sent, other } = meaningOf(row, details);
  return {
    sent: valueText(sent),
    other: other === null ? null : valueText(other),
    note: other === null ? roundedNote(row.value) : hiddenNote(row.path, details),
  };
}

function roundedNote(typed: string): string | null {
  const number = jsonOf(typed) === null ? null : inexactNumber(typed);
  return number === null ? null : `As a number, ${number} would be rounded.`;
}

const hiddenNote = (path: string, details: unknown): string | null =>
  fieldOf(details, path.trim()) === redacted ? 'The present value is hidden.' : null;

/** A value that typed characters can mean. */
interface Reading {
  readonly value: unknown;
}

/**
 * Characters are a text, or the JSON that they form. A text replaces a text, and JSON replaces anything else, also what is hidden.
 * JSON that would not arrive as it is written is a text, too.
 */
function meaningOf(
  { path, value: typed, isOther }: CorrectionRow,
  details: unknown,
): { readonly sent: Reading; readonly other: Reading | null } {
  const text = { value: typed };
  const json = jsonOf(typed);
  if (json === null || inexactNumber(typed) !== null) return { sent: text, other: null };
  const present = fieldOf(details, path.trim());
  // A text in quotes is what JSON has for it.
  const isText =
    typeof present === 'string' && typeof json.value !== 'string' && present !== redacted;
  return isText === isOther ? { sent: json, other: text } : { sent: text, other: json };
}

/** Null when it is not JSON. */
function jsonOf(typed: string): Reading | null {
  try {
    return { value: JSON.parse(typed) };
  } catch {
    return null;
  }
}

/** As the API finds it: names and indexes, with dots between. Of a hidden value, each field is hidden. */
function fieldOf(details: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (value === redacted) return redacted;
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.entries(value).find(([key]) => key === name)?.[1];
  }, details);
}

const valueText = ({ value }: Reading) => `${kindOf(value)} ${JSON.stringify(value)}`;

function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'the text';
  return typeof value === 'number' ? 'the number' : 'the JSON';
}
