/** Objects with names that their author chooses. */
import * as z from 'zod';
import { isObject } from '#core/model/json.ts';

/** As `z.record`, which drops a name `__proto__` silently: this refuses it. */
export const namedValues = <Value extends z.ZodType>(
  names: z.ZodType<string, string>,
  values: Value,
) =>
  z
    .unknown()
    .superRefine((value, context) => {
      if (!isObject(value) || !Object.hasOwn(value, '__proto__')) return;
      context.addIssue({
        ...{ code: 'custom', path: ['__proto__'] },
        message: 'is a name that cannot be used; choose another',
      });
    })
    .pipe(z.record(names, values));
