/** A possible mistake in the protocol: one text in one file, and its replacement. */
export interface Mutant {
  readonly name: string;
  /** Path below lib. */
  readonly file: string;
  /** Occurs in the file once. */
  readonly text: string;
  readonly instead: string;
}

/** Builds mutants of one folder; `file` has no extension. */
export const mutantIn =
  (folder: string) =>
  (name: string, file: string, text: string, instead: string): Mutant => ({
    name,
    file: `${folder}/${file}.ts`,
    text,
    instead,
  });
