/** An order of the shipped workflow, for the first one that a user submits. */
export const exampleOrder = {
  workflow: 'order-fulfilment',
  details: {
    customer: 'ada',
    lines: [{ sku: 'teapot-blue', quantity: 1, unitPriceCents: 2_490 }],
    currency: 'EUR',
    payment: { token: 'tok_visa' },
    shipTo: {
      name: 'Ada Example',
      street: 'Analytical Lane 1',
      city: 'Berlin',
      postalCode: '10115',
      country: 'DE',
    },
  },
} as const;
