/** The pages of the documentation that are written by hand; those of docs/api are made from the code. */
import { globSync } from 'node:fs';

export const pages: readonly string[] = globSync([
  '*.md',
  'docs/*.md',
  'examples/*/README.md',
  'create-reeve/template/**/*.md',
]).toSorted();
