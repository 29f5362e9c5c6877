/** Stored unions: arrays whose first element is a letter that identifies the variant. */
import type { ZodType } from 'zod';
import { CorruptDataError } from '#core/model/errors.ts';

/**
 * A decoder of one of several forms. It tries only the form of the letter: a schema that tries all forms
 * spends most of its time on creating errors that it discards.
 *
 * @throws {CorruptDataError} `form-unknown`, when called with another letter
 */
export function taggedTuple<Form>(
  forms: Readonly<Record<string, ZodType<Form>>>,
): (stored: unknown) => Form {
  return (stored) => {
    const tag: unknown = Array.isArray(stored) ? stored[0] : undefined;
    const form = typeof tag === 'string' && Object.hasOwn(forms, tag) ? forms[tag] : undefined;
    if (form === undefined) {
      const known = Object.keys(forms).join(', ');
      throw new CorruptDataError('form-unknown', `A stored value begins with none of ${known}.`);
    }
    return form.parse(stored);
  };
}
