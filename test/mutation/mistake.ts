/** A mistake that is planted in a copy of the code, where a test must fail. */
export interface Mistake {
  readonly name: string;
  readonly file: string;
  /** Occurs in the file once. */
  readonly text: string;
  readonly instead: string;
  /** The test file that must fail. */
  readonly test: string;
}

/** Makes one from its parts. */
export const mistake = (
  file: string,
  test: string,
  name: string,
  text: string,
  instead: string,
): Mistake => ({ name, file, text, instead, test });
