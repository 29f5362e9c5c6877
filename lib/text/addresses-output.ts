/**
 * The output of a stack that has the addresses of a Reeve in it. Its name follows from the path of the construct, because the
 * CDK gives other outputs of a construct names with a digest.
 */

/** @param path the ids from the stack to the construct; `['Orders']` becomes `ReeveOrders` */
export const addressesOutput = (path: readonly string[]): string =>
  ['Reeve', ...path.map((id) => id.replace(/[^A-Za-z0-9]/g, ''))].join('');
