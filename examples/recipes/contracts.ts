// examples/recipes/contracts.ts
/** The contracts of the agents of the recipes; yours are those of your own services. */
export { fraud, inventory, payment, shipping } from '#workflows/order-contracts.ts';
export { shipToSchema } from '#workflows/order-details.ts';
