/** A mistake that somebody could make in the protocol: one text in one file, and what stands there instead. */
export interface Mutant {
  readonly name: string;
  /** Under lib. */
  readonly file: string;
  /** Stands there once. */
  readonly text: string;
  readonly instead: string;
}
