/** Whole numbers on the command line. */
import { InvalidArgumentError } from 'commander';
import { wholeNumber } from '#core/codec/whole-number.ts';

/** Reads an option or argument. @throws {InvalidArgumentError} for anything but decimal digits of a number in this range */
export function wholeNumberOption(min: number, max: number): (text: string) => number {
  const form = wholeNumber(min, max);
  return (text) => {
    const read = form.safeParse(text);
    if (read.success) return read.data;
    throw new InvalidArgumentError(`It ${read.error.issues[0]?.message}.`);
  };
}
