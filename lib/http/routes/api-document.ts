/** The OpenAPI document that this Reeve serves: the operations that it has, with its workflows. It is loaded when it is asked for. */

interface Document {
  readonly paths: Readonly<Record<string, Operations>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** By method. */
type Operations = Readonly<Record<string, { readonly operationId: string }>>;

/** @param served by operation id: a function serves fewer operations than a process that lives on between requests */
export async function apiDocument(
  served: ReadonlySet<string>,
  workflows: readonly string[],
): Promise<object> {
  const { default: whole } = await import('../description/openapi.json', {
    with: { type: 'json' },
  });
  const { paths, components }: Document = whole;
  const { Submission } = whole.components.schemas;
  const { workflow } = Submission.properties;
  const named = {
    ...Submission,
    properties: { ...Submission.properties, workflow: { ...workflow, enum: workflows } },
  };
  const ofServed = servedPaths(paths, served);
  const schemas = usedSchemas(ofServed, { ...components.schemas, Submission: named });
  return { ...whole, paths: ofServed, components: { ...components, schemas } };
}

function servedPaths(paths: Document['paths'], served: ReadonlySet<string>): Document['paths'] {
  const kept = Object.entries(paths).map(([path, operations]) => {
    const those = Object.entries(operations).filter(([, { operationId }]) =>
      served.has(operationId),
    );
    return [path, Object.fromEntries(those)] as const;
  });
  return Object.fromEntries(kept.filter(([, those]) => Object.keys(those).length > 0));
}

/** Those that the paths refer to, directly or by other schemas. */
function usedSchemas(
  paths: Document['paths'],
  schemas: Readonly<Record<string, object>>,
): Readonly<Record<string, object>> {
  const used = new Set<string>();
  const left: object[] = [paths];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      left.push(schemas[name] ?? {});
    }
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}
