/** Every contract by the name of its file: what `npm run contracts` writes. */
import { asyncApi } from './asyncapi.ts';
import { fileOf, messageSchemas } from './messages.ts';

/** `openApi`: as the API itself gives it. */
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
