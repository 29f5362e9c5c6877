/** The operations of the API as its router knows them. */
import { type Operation, routes } from '#core/access/routes.ts';

const isOperation = (name: string): name is Operation => Object.hasOwn(routes, name);

/** All operations, including those that a function does not serve. */
export const operations: readonly Operation[] = Object.keys(routes).filter(isOperation);

/** The method in capitals, and the path as the router writes it: `/orders/:id` for `/orders/{id}`. */
export function routingOf(operation: Operation): {
  readonly method: string;
  readonly path: string;
} {
  const { method, path } = routes[operation];
  return { method: method.toUpperCase(), path: path.replaceAll(/\{(\w+)\}/g, ':$1') };
}
