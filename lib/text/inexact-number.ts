/** Numbers of a JSON text that programs read as other numbers: most keep some 17 digits, as JavaScript and Reeve do. */

const strings = /"(?:\\.|[^"\\])*"/g;
const numbers = /-?\d[\d.eE+-]*/g;

/**
 * The first number that would not arrive as it is written, such as `12345678901234567890`; null for none. `1.50` and `1.5` are the same.
 *
 * @param json a valid JSON text
 */
export function inexactNumber(json: string): string | null {
  const written = json.replaceAll(strings, '').match(numbers) ?? [];
  return written.find((text) => decimalOf(text) !== decimalOf(String(Number(text)))) ?? null;
}

/** One text for each value: its digits without zeros around them, and the power of ten. Null for no decimal number. */
function decimalOf(text: string): string | null {
  const [, sign, whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return null;
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(power) - part.length + digits.length - kept.length}`;
}
