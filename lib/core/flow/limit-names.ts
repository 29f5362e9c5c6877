/** The names of the stored items of limits: all instances, and the grants of their functions, know them by these. */

const callsMark = '#calls';
const rateMark = '#rate';

/** A limit and one value of its key. @param key a form of the key that has none of the marks */
export const limitOfKey = (limit: string, key: string) => `${limit}#${key}`;

/** The item of the calls at once of a limit and key; a large limit has several, whose names begin with this one. */
export const callsItemName = (name: string) => `${name}${callsMark}`;

/** The limit and key of an item of calls at once. */
export const limitOfCalls = (item: string) => item.slice(0, item.lastIndexOf(callsMark));

/** The item of the rate of a limit and key. */
export const rateItemName = (name: string) => `${name}${rateMark}`;
