/** Makes a part when it is first used: most machines use few of their parts, and many live for seconds. */
export function once<Part>(make: () => Part): () => Part {
  let made: { readonly part: Part } | null = null;
  return () => {
    made ??= { part: make() };
    return made.part;
  };
}
