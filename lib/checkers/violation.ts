/** A rule of docs/design.md that does not hold, as every checker tells it. */

export type RuleName =
  `R${Digit | '10' | '11' | '12' | '13' | '14' | '15' | '16' | '17' | '18' | '19' | '20'}`;
type Digit = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

export interface Violation {
  readonly rule: RuleName;
  readonly message: string;
}

/** Is told of every violation, by the checkers that keep what they have seen. */
export type Breach = (rule: RuleName, message: string) => void;
