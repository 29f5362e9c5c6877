/** The doc model of an entry point, as API Extractor writes it: what the pages of the exports need of it. */
import * as z from 'zod';

const excerptToken = z.object({
  kind: z.enum(['Content', 'Reference']),
  text: z.string(),
  canonicalReference: z.string().optional(),
});

const described = z.object({
  canonicalReference: z.string(),
  docComment: z.string().default(''),
  /** A constructor has none. */
  name: z.string().default('constructor'),
  excerptTokens: z.array(excerptToken).default([]),
});

/** A property, a method or a constructor. */
export type ApiMember = z.infer<typeof described>;

const item = described.extend({
  kind: z.enum(['Function', 'Class', 'Interface', 'TypeAlias', 'Variable']),
  members: z.array(described).default([]),
});

/** A function, class, type or variable, exported or named by an export. */
export type ApiItem = z.infer<typeof item>;

/** A part of a declaration: text, or the name of another item. */
export type ExcerptToken = z.infer<typeof excerptToken>;

const model = z.object({ members: z.tuple([z.object({ members: z.array(item) })]) });

/** What an entry point has. */
export interface ApiEntry {
  readonly exported: readonly ApiItem[];
  /** Types and variables that the exports name, and that no entry point exports. */
  readonly named: readonly ApiItem[];
}

/**
 * The entry points by what users import.
 *
 * @param models the doc model of each entry point
 */
export function apiEntries(models: ReadonlyMap<string, unknown>): ReadonlyMap<string, ApiEntry> {
  const all = new Map(
    [...models].map(([entry, text]) => [entry, model.parse(text).members[0].members]),
  );
  const exportedNames = new Set([...all.values()].flatMap((items) => namesOf(items)));
  return new Map(
    [...all].map(([entry, items]) => {
      const exported = items.filter(isExported);
      const references = new Set(exported.flatMap(tokensOf).map((each) => each.canonicalReference));
      const named = items.filter(
        (each) => references.has(each.canonicalReference) && !exportedNames.has(each.name),
      );
      return [entry, { exported, named }];
    }),
  );
}

const namesOf = (items: readonly ApiItem[]) => items.filter(isExported).map(({ name }) => name);

/** The reference of what a module does not export has a tilde. */
const isExported = (each: ApiItem) => !each.canonicalReference.includes('!~');

function tokensOf({ excerptTokens, members }: ApiItem): readonly ExcerptToken[] {
  return [...excerptTokens, ...members.flatMap((member) => member.excerptTokens)];
}
