/** The corrections of a resubmit: paths and new values, as typed. */

export interface CorrectionRow {
  readonly path: string;
  readonly value: string;
}

/** Null when nothing is corrected. A value that is JSON is that value; anything else is a text. */
export function correctionBody(
  rows: readonly CorrectionRow[],
): { readonly set: Readonly<Record<string, unknown>> } | null {
  const meant = rows.filter(({ path }) => path.trim() !== '');
  if (meant.length === 0) return null;
  return {
    set: Object.fromEntries(meant.map(({ path, value }) => [path.trim(), typedValue(value)])),
  };
}

function typedValue(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
