/** `reeve prove`: runs the proofs that a module exports. */

import { ReeveError } from '#core/model/errors.ts';
import { isObject } from '#core/model/json.ts';
import { loadModule } from '#runtime/node/load-definitions.ts';
import { defineProof, type Proof } from './proof.ts';
import type { ProofReport } from './proof-report.ts';
import { proofReport } from './prove.ts';

export interface ProveCommandOptions {
  /** Default: as the proof says. */
  readonly seeds?: number;
  /** Default: as the proof says. */
  readonly firstSeed?: number;
}

/** For people, and as a document. */
export interface ProveOutcome {
  readonly isProven: boolean;
  readonly lines: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
  /** Why nothing was proven; null: it was tried. */
  readonly problem: string | null;
}

/** @param path of the module, also one in TypeScript */
export async function proveCommand(
  path: string,
  options: ProveCommandOptions,
): Promise<ProveOutcome> {
  try {
    return await proven(path, options);
  } catch (error) {
    // Of the module, or of a proof in it: there is nothing to be proven.
    if (!(error instanceof ReeveError)) throw error;
    return { isProven: false, lines: [], document: {}, problem: error.message };
  }
}

async function proven(path: string, options: ProveCommandOptions): Promise<ProveOutcome> {
  const proofs = Object.entries(await loadModule(path)).filter(isProof);
  if (proofs.length === 0) {
    throw new ReeveError(
      'module-unusable',
      `${path} exports no proof: export what \`defineProof({ workflows, agents, orders })\` returns.`,
    );
  }
  const reports: (ProofReport & { readonly name: string })[] = [];
  for (const [name, proof] of proofs) {
    reports.push({ name, ...(await proofReport(defineProof({ ...proof, ...options }))) });
  }
  return {
    problem: null,
    isProven: reports.every(({ isProven }) => isProven),
    lines: reports.flatMap(({ name, text }) => `${name}: ${text}`.split('\n')),
    document: {
      proofs: reports.map(({ text: _, faults, ...report }) => ({
        ...report,
        faults: Object.fromEntries(faults),
      })),
    },
  };
}

/** Also of another copy of the package than this one. */
const isProof = (entry: [string, unknown]): entry is [string, Proof] => {
  const [, value] = entry;
  return (
    isObject(value) &&
    Array.isArray(value['workflows']) &&
    Array.isArray(value['agents']) &&
    typeof value['orders'] === 'function'
  );
};
