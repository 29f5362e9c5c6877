/** Ids and names on the command line that become a part of the path of a request. */
import { InvalidArgumentError } from 'commander';

/**
 * An empty one, as of a variable that is not set, and the names of folders that each URL has, would make the path that of another request.
 *
 * @throws {InvalidArgumentError}
 */
export function nameArgument(text: string): string {
  if (text !== '' && text !== '.' && text !== '..') return text;
  throw new InvalidArgumentError('It must be an id or a name.');
}

/** The name of a limit, of which both parts are names. */
export function limitArgument(text: string): string {
  for (const part of text.split('/')) nameArgument(part);
  return text;
}
