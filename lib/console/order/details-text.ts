/** Which details of an order are shown. */
import type { Order } from '#console/api/documents.ts';

/** The details have all corrections, which the history keeps also where it is shortened. */
export const detailsText = ({ history }: Pick<Order, 'history'>): string =>
  history.some(({ corrected = [] }) => corrected.length > 0)
    ? 'as they were submitted, with corrections'
    : 'as they were submitted';
