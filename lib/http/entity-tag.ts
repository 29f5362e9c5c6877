/** Entity tags of documents that say when they were made: equal but for that, they are the same. */
import { digestOf } from './digest.ts';

/** Weak: what it is made of decides, and not every byte of the answer. */
export async function weakTag(document: unknown): Promise<string> {
  const digest = await digestOf(JSON.stringify(document));
  return `W/"${digest.slice(0, 32)}"`;
}
