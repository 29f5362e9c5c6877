/** Whole numbers on the command line. */
import { InvalidArgumentError } from 'commander';

/** `Number` alone would also take `0x10`, `1e1`, blanks and an empty text. */
const digits = /^(0|[1-9]\d{0,15})$/;

/** Reads an option or argument. @throws {InvalidArgumentError} for anything but decimal digits of a number in this range */
export function wholeNumberOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = digits.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
