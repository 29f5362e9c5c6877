/** Entity tags of documents with a time of creation, which the tag ignores. */
import { digestOf } from './digest.ts';

/** Weak, because it does not cover every byte of the response. */
export async function weakTag(document: unknown): Promise<string> {
  const digest = await digestOf(JSON.stringify(document));
  return `W/"${digest.slice(0, 32)}"`;
}
