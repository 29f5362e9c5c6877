/** The weights of tenants, as settings and variables of the environment have them. */
import * as z from 'zod';
import { limits } from '#core/model/limits.ts';
import { strictJson } from './strict-json.ts';

const { tenantLengthMax, tenantWeightMin, tenantWeightMax } = limits;
const weightError = `must be a number from ${tenantWeightMin} to ${tenantWeightMax}`;

/** An object such as `{"inn":4}`. It becomes a map, because a tenant may have any name, such as `__proto__`. */
export const tenantWeightsForm = z
  .unknown()
  .transform((value, context) => {
    if (isObject(value)) return new Map(Object.entries(value));
    context.addIssue('must be JSON such as {"inn":4}');
    return z.NEVER;
  })
  .pipe(
    z.map(
      z.string().min(1).max(tenantLengthMax),
      z
        .number({ error: weightError })
        .min(tenantWeightMin, { error: weightError })
        .max(tenantWeightMax, { error: weightError }),
    ),
  );

/** The same as text. */
export const tenantWeightsText = z
  .string()
  .transform((text) => {
    const parsed = strictJson(text);
    return parsed.kind === 'json' ? parsed.value : null;
  })
  .pipe(tenantWeightsForm);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
