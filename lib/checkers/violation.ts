/** Violations of the rules in docs/design.md, as all checkers report them. */

/** A rule of docs/design.md. */
export type RuleName = `R${Digit | `1${Digit | '0'}` | `2${Digit | '0'}`}`;
type Digit = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** A violated rule, with a text about the case. */
export interface Violation {
  readonly rule: RuleName;
  readonly message: string;
}

/** Receives every violation that a checker with a memory finds. */
export type Breach = (rule: RuleName, message: string) => void;
