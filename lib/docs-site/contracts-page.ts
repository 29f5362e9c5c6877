/** The page of the machine-readable contracts, which the site has as files. */
import * as z from 'zod';

const described = z.object({ title: z.string(), description: z.string() });
/** A JSON Schema has them at the top, OpenAPI and AsyncAPI in `info`. */
const contract = z.union([described, z.object({ info: described }).transform(({ info }) => info)]);

/** @param contracts the documents by the names of their files */
export function contractsIndex(contracts: ReadonlyMap<string, unknown>): string {
  const rows = [...contracts].map(([name, document]) => {
    const { title, description } = contract.parse(document);
    return `| <a href="/contracts/${name}" download>${name}</a> | ${title} | ${description} |`;
  });
  return `# Contracts

The routes of the API and the messages as documents for programs: OpenAPI, AsyncAPI and JSON Schema.

| file | title | what it describes |
| --- | --- | --- |
${rows.join('\n')}
`;
}
