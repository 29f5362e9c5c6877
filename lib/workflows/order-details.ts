/** The details of the shipped workflow: the order of a customer. */
import * as z from 'zod';

const text = (max: number) => z.string().trim().min(1).max(max);
const cents = z.int().min(0).max(100_000_000);

/** An address; the texts have up to 200 characters. */
export const shipToSchema = z.strictObject({
  name: text(100).meta({ sensitive: true }),
  street: text(200).meta({ sensitive: true }),
  city: text(100),
  postalCode: text(20),
  /** ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters, such as "DE"'),
});

/** The details of an order; amounts are in the smallest unit of the currency. */
export const orderDetailsSchema = z.strictObject({
  customer: text(100),
  lines: z
    .array(
      z.strictObject({
        sku: text(60),
        quantity: z.int().min(1).max(10_000),
        unitPriceCents: cents,
      }),
    )
    .min(1)
    .max(200),
  /** ISO 4217. */
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters, such as "EUR"'),
  /** A token of the payment provider; never a card number. */
  payment: z.strictObject({ token: text(200).meta({ sensitive: true }) }),
  shipTo: shipToSchema,
});

/** See {@link orderDetailsSchema}. */
export type OrderDetails = z.infer<typeof orderDetailsSchema>;

/** The total of the lines, in the smallest unit of the currency. */
export function amountCents({ lines }: OrderDetails): number {
  return lines.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0);
}
