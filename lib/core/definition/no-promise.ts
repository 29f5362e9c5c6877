/**
 * The value that a function of the author has returned. Decisions do not wait, so a promise is none; its rejection, if it has one, would
 * end the process.
 *
 * @throws {TypeError} when it is a promise
 */
export function noPromise<Value>(value: Value): Value {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  throw new TypeError('It returned a promise: the function must not be async.');
}
