/** The published descriptions of messages and their fields. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileOf, messageSchemas } from '#contracts/messages.ts';

it.each(Object.entries(messageSchemas()))('a %s is described as published', (name, schema) => {
  const published: unknown = JSON.parse(readFileSync(join('docs/contracts', fileOf(name)), 'utf8'));
  expect(JSON.parse(JSON.stringify(schema))).toEqual(published);
});
