/** A mistake that somebody could make in the protocol: one text in one file, and what stands there instead. */
export interface Mutant {
  readonly name: string;
  /** Under lib. */
  readonly file: string;
  /** Stands there once. */
  readonly text: string;
  readonly instead: string;
}

/** For a list of them in one folder: `file` without its ending. */
export const mutantIn =
  (folder: string) =>
  (name: string, file: string, text: string, instead: string): Mutant => ({
    name,
    file: `${folder}/${file}.ts`,
    text,
    instead,
  });
