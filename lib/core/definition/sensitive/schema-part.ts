/** Reads the parts of a JSON Schema that zod has generated, with their marks. */
import { isObject } from '#core/model/json.ts';

interface Json {
  readonly [key: string]: unknown;
}

/** In place of a definition that is not found: it may have marks. */
const unreadable: Json = { sensitive: true };

/** A part of a JSON Schema. */
export class SchemaPart {
  readonly #own: Json;
  readonly #root: Json;

  private constructor(own: Json, root: Json) {
    this.#own = own;
    this.#root = root;
  }

  /** The whole schema. */
  static of(root: unknown): SchemaPart {
    const whole = isObject(root) ? root : {};
    return new SchemaPart(resolved(whole, whole), whole);
  }

  /** Whether the value itself is marked. */
  isSensitive(): boolean {
    return this.#own['sensitive'] === true;
  }

  /** Whether the value or a part of it is marked. */
  hasMarks(): boolean {
    const seen = new Set<unknown>();
    const search = (value: unknown): boolean => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return false;
      seen.add(value);
      if (Array.isArray(value)) return value.some(search);
      if (!isObject(value)) return false;
      const { sensitive, $ref, $defs: _, ...rest } = value;
      if (sensitive === true) return true;
      if (typeof $ref === 'string' && search(referred(this.#root, $ref))) return true;
      return Object.values(rest).some(search);
    };
    return search(this.#own);
  }

  /** Further schemas of the same value. */
  alternatives(): readonly SchemaPart[] {
    const { anyOf, oneOf, allOf } = this.#own;
    return [anyOf, oneOf, allOf]
      .flatMap((list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []))
      .flatMap((one) => this.#part(one) ?? []);
  }

  /** The schema of a property or an element of the value. */
  member(value: object, name: string): SchemaPart | null {
    if (Array.isArray(value)) {
      const { prefixItems, items } = this.#own;
      return this.#part((Array.isArray(prefixItems) ? prefixItems[Number(name)] : null) ?? items);
    }
    const { properties, patternProperties, additionalProperties } = this.#own;
    const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : null;
    // The pattern has lost its flags, so that it cannot decide: for each other property, there may be a mark.
    const [matching] = isObject(patternProperties) ? Object.values(patternProperties) : [];
    return this.#part(own ?? matching ?? additionalProperties);
  }

  #part(json: unknown): SchemaPart | null {
    return isObject(json) ? new SchemaPart(resolved(json, this.#root), this.#root) : null;
  }
}

/** The schema itself, in place of a reference to it. What stands beside the reference applies as well. */
function resolved(json: Json, root: Json): Json {
  const { $ref, ...beside } = json;
  return typeof $ref === 'string' ? { ...resolved(referred(root, $ref), root), ...beside } : json;
}

const definitions = '#/$defs/';

/** Resolves `#` and `#/$defs/ID`, the only references that zod generates. */
function referred(root: Json, ref: string): Json {
  if (ref === '#') return root;
  const { $defs } = root;
  // As a JSON pointer (RFC 6901).
  const id = ref.slice(definitions.length).replaceAll('~1', '/').replaceAll('~0', '~');
  const found = ref.startsWith(definitions) && isObject($defs) ? $defs[id] : null;
  return isObject(found) ? found : unreadable;
}
