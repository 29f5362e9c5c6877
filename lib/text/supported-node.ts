/** The Node that Reeve needs. */

/** Of the oldest one: `node:sqlite` without a flag, `require` of modules, and TypeScript without a build. */
export const nodeOldest = '22.18.0';

/** What is wrong with this version of Node, as `process.versions.node` has it; null: nothing. */
export function nodeRefusal(version: string): string | null {
  if (compare(version, nodeOldest) >= 0) return null;
  return `Reeve needs Node ${nodeOldest} or newer, and this is Node ${version}: install a newer one.`;
}

function compare(a: string, b: string): number {
  const [aParts, bParts] = [a, b].map((text) => text.split('.').map(Number.parseFloat));
  const differences = (aParts ?? []).map((part, at) => part - (bParts?.[at] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
