/** An option with a few values, each taken in upper or lower case. */
import { InvalidArgumentError, type Option } from 'commander';

export function anyCase(option: Option, values: readonly string[]): Option {
  return option.choices(values).argParser((given: string) => {
    const found = values.find((value) => value.toLowerCase() === given.toLowerCase());
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  });
}
