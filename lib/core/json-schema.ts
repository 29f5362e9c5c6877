/**
 * JSON as Reeve takes it: what JSON would write otherwise than it was, or not at all, is refused where
 * it comes in. Nothing is copied: a schema's copy would lose a key such as `__proto__`.
 */
import * as z from 'zod';
import { isShallow, type JsonValue, wayTo } from './json.ts';
import { limits } from './limits.ts';

/** Any JSON that nests no deeper than its limit and comes back from its text as it is. */
export const jsonSchema: z.ZodType<JsonValue, JsonValue> = z
  .custom<JsonValue>((value) => value !== undefined, 'is missing')
  .superRefine((value, context) => {
    if (!isShallow(value, limits.jsonDepthMax)) {
      context.addIssue(`nests deeper than ${limits.jsonDepthMax} levels`);
      return;
    }
    const way = wayTo(value, (inner) => typeof inner === 'number' && !Number.isFinite(inner));
    if (way === null) return;
    context.addIssue({ code: 'custom', path: [...way], message: 'is not a finite number' });
  });
