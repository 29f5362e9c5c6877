/** `--set`: new values for fields of an order's details. */
import { InvalidArgumentError } from 'commander';
import { inexactNumber } from '#text/inexact-number.ts';

/** JSON texts by field; kept as texts, because parsing and printing could change them. */
export type Corrections = Readonly<Record<string, string>>;

/** Adds one: `payment.token=tok_2` is a text, `lines.0.quantity:=3` is JSON. */
export function addCorrection(text: string, others: Corrections = {}): Corrections {
  const [, field, sign, value] = /^([^=:]+)(:?=)(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) {
    throw new InvalidArgumentError('It must be field=text, or field:=JSON.');
  }
  if (Object.hasOwn(others, field)) throw new InvalidArgumentError(`${field} is set twice.`);
  return { ...others, [field]: sign === ':=' ? checkedJson(value) : JSON.stringify(value) };
}

/** The body of a resubmit with these corrections. */
export function correctionsBody(corrections: Corrections): string {
  const members = Object.entries(corrections).map(
    ([field, json]) => `${JSON.stringify(field)}:${json}`,
  );
  return `{"set":{${members.join(',')}}}`;
}

function checkedJson(text: string): string {
  if (!isJson(text)) {
    throw new InvalidArgumentError('The value after := must be JSON; use = for a text.');
  }
  const number = inexactNumber(text);
  if (number === null) return text;
  throw new InvalidArgumentError(
    `The number ${number} would be rounded; use = for a text, or fewer digits.`,
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
