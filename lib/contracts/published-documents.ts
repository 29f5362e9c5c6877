/** Every contract by its file name, as `npm run contracts` writes them. */
import { asyncApi } from './asyncapi.ts';
import { fileOf, messageSchemas } from './messages.ts';

/** @param openApi the document that the API serves */
export function contractFiles(openApi: unknown): ReadonlyMap<string, string> {
  const schemas = messageSchemas();
  return new Map(
    [
      ['openapi.json', openApi] as const,
      ['asyncapi.json', asyncApi(schemas)] as const,
      ...Object.entries(schemas).map(([name, schema]) => [fileOf(name), schema] as const),
    ].map(([file, document]) => [file, `${JSON.stringify(document, null, 2)}\n`]),
  );
}
