/** `--set`: new values for fields of an order's details. */
import { InvalidArgumentError } from 'commander';

export type Corrections = Readonly<Record<string, unknown>>;

/** One more of them: `payment.token=tok_2` is a text, `lines.0.quantity:=3` is JSON. */
export function addCorrection(text: string, others: Corrections = {}): Corrections {
  const [, field, sign, value] = /^([^=:]+)(:?=)(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) {
    throw new InvalidArgumentError('It must be field=text, or field:=JSON.');
  }
  if (Object.hasOwn(others, field)) throw new InvalidArgumentError(`${field} is set twice.`);
  return { ...others, [field]: sign === ':=' ? json(value) : value };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('What follows := must be JSON; a text follows = alone.');
  }
}
