#!/usr/bin/env node
/** Writes docs/reference.md: `npm run reference`. Nothing in it is written by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { referencePage } from '#reference/reference-page.ts';

const page = 'docs/reference.md';
writeFileSync(page, referencePage(readFileSync('lib/core/model/limits.ts', 'utf8')));
console.log(page);
