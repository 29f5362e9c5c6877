/** Takes the place of a property of the process, such as `globalThis.fetch`. */

/**
 * @returns gives the property its former value back. Where other code has replaced it since, it stays as that code set it.
 */
export function replaced(on: object, name: string, value: unknown): () => void {
  const former = Object.getOwnPropertyDescriptor(on, name);
  Object.defineProperty(on, name, { value, configurable: true, writable: true });
  return () => {
    if (Reflect.get(on, name) !== value) return;
    if (former === undefined) Reflect.deleteProperty(on, name);
    else Object.defineProperty(on, name, former);
  };
}
