/** The workflows and agents that a module of the user exports. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { ReeveError } from '#core/model/errors.ts';
import { isObject } from '#core/model/json.ts';
import { onFile } from '#embedded/file-error.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { userStack } from './user-stack.ts';

/** What a module exports. */
export interface Definitions {
  readonly workflows: readonly WorkflowDefinition[];
  readonly agents: readonly AgentImplementation[];
}

/**
 * Loads the module and takes each workflow and each implementation of an agent that it exports, by itself or in a list.
 *
 * @param path of the module, also one in TypeScript
 * @throws {ReeveError} `module-unusable` when it cannot be loaded, or exports no workflow
 */
export async function loadDefinitions(path: string): Promise<Definitions> {
  const exported = Object.values(await loadModule(path)).flat();
  const workflows = [...new Set(exported.filter(isWorkflow))];
  const agents = [...new Set(exported.filter(isAgent))];
  if (workflows.length > 0) return { workflows, agents };
  throw new ReeveError(
    'module-unusable',
    `${path} exports no workflow: export what \`build()\` of defineWorkflow returns, or a list of it.`,
  );
}

/** Why the path cannot be that of a module; null: there is a file. */
export function pathProblem(path: string): string | null {
  try {
    const found = onFile('Cannot look for', path, () => statSync(path, { throwIfNoEntry: false }));
    return found?.isFile() ? null : `There is no file ${path}.`;
  } catch (error) {
    if (error instanceof ReeveError) return error.message;
    throw error;
  }
}

/**
 * Loads a module of the user.
 *
 * @throws {ReeveError} `module-unusable`, with where in the code of the user the error is
 */
export async function loadModule(path: string): Promise<object> {
  const problem = pathProblem(path);
  if (problem !== null) throw new ReeveError('module-unusable', problem);
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    const message = `${path} cannot be loaded. ${userStack(cause)}`;
    throw new ReeveError('module-unusable', message, { cause });
  }
}

const isWorkflow = (value: unknown): value is WorkflowDefinition =>
  isObject(value) && typeof value['fingerprint'] === 'string' && Array.isArray(value['steps']);

const isAgent = (value: unknown): value is AgentImplementation =>
  isObject(value) && isObject(value['contract']) && typeof value['perform'] === 'function';
