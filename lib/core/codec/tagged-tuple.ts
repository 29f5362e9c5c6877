/** Stored unions: arrays told apart by the letter they begin with. */
import type { ZodType } from 'zod';
import { CorruptDataError } from '#core/model/errors.ts';

/**
 * Reads one of several forms. Only the form that the letter names is tried: a schema that tries each
 * in turn spends most of its time on making errors that nobody sees.
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
