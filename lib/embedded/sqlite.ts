/** The SQLite of Node. */
import { ReeveError } from '#core/model/errors.ts';
import { nodeRefusal } from '#text/supported-node.ts';

/**
 * Loaded at its first use: an import would fail on a Node without it before Reeve could say what is missing.
 *
 * @throws {ReeveError} `node-unsupported`
 */
export function sqlite(): typeof import('node:sqlite') {
  const refusal = nodeRefusal(process.versions.node);
  if (refusal !== null) throw new ReeveError('node-unsupported', refusal);
  return process.getBuiltinModule('node:sqlite');
}
