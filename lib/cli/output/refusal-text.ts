/** Formats a refusal of Reeve, of the suppliers or of a proxy between. */
import { problemSchema, supplierRefusalSchema } from '#cli/api/response-schemas.ts';

export function refusalText(name: string, base: string, status: number, document: unknown): string {
  const problem = problemSchema.safeParse(document);
  if (problem.success) {
    const { title, detail, errors, code } = problem.data;
    const fields = errors.map(({ field, message }) => `  ${field}: ${message}`);
    // The detail of Reeve's problems contains the same in one line.
    const isRepeated = errors.length > 0 && errors.every(({ message }) => detail.includes(message));
    const details = isRepeated ? [] : [`  ${detail}`];
    return [title, ...details, ...fields, `  code: ${code}`].join('\n');
  }
  const refusal = supplierRefusalSchema.safeParse(document);
  if (refusal.success) return `${refusal.data.message}\n  code: ${refusal.data.code}`;
  return `${name} answered with status ${status} and no explanation.\nCheck that ${base} is the right address, and check proxies between.`;
}
