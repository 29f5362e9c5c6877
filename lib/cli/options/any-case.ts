/** An option with a fixed set of values, accepted in any case. */
import { InvalidArgumentError, type Option } from 'commander';

export function anyCase(option: Option, values: readonly string[]): Option {
  return option.choices(values).argParser((given: string) => {
    const found = values.find((value) => value.toLowerCase() === given.toLowerCase());
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  });
}
