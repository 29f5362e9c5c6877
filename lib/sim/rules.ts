/** The rules of docs/design.md as they are checked while a world goes on, and how a breach is told. */

export type RuleName =
  `R${Digit | '10' | '11' | '12' | '13' | '14' | '15' | '16' | '17' | '18' | '19' | '20'}`;
type Digit = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

export interface Violation {
  readonly rule: RuleName;
  readonly what: string;
}

/** Told of every breach; the first is the one to look at. */
export type Breach = (rule: RuleName, what: string) => void;
