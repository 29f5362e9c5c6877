/** Names of Reeve's events on the bus. */
export const eventSource = 'reeve';
export const alertDetailType = 'Order in Error';
export const statusDetailType = 'Order status';
