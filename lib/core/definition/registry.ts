/** Workflow definitions by name and version. */
import { DefinitionError } from '#core/model/errors.ts';
import type { WorkflowName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** The workflows of a process. */
export interface WorkflowRegistry {
  /** Every version of every workflow. */
  readonly all: readonly WorkflowDefinition[];
  /** The highest version, which new orders use. */
  latest(name: string): WorkflowDefinition | undefined;
  version(name: string, version: number): WorkflowDefinition | undefined;
  /** The definition of the order at its submission; undefined when it is unknown or has changed since. */
  of(
    record: Pick<ProcessRecord, 'workflow' | 'workflowVersion' | 'fingerprint'>,
  ): WorkflowDefinition | undefined;
}

/** @throws {DefinitionError} `version-twice` when two definitions have the same name and version */
export function workflowRegistry(definitions: readonly WorkflowDefinition[]): WorkflowRegistry {
  const byVersion = new Map<string, WorkflowDefinition>();
  const latest = new Map<string, WorkflowDefinition>();
  for (const definition of definitions) {
    const id = versionId(definition.name, definition.version);
    const known = byVersion.get(id);
    if (known !== undefined && known !== definition) {
      throw new DefinitionError(
        'version-twice',
        `Two different definitions have the name and version ${id}: give the newer one the next version.`,
      );
    }
    byVersion.set(id, definition);
    if ((latest.get(definition.name)?.version ?? 0) < definition.version) {
      latest.set(definition.name, definition);
    }
  }
  return {
    all: [...byVersion.values()],
    latest: (name) => latest.get(name),
    version: (name, version) => byVersion.get(versionId(name, version)),
    of: (record) => {
      const found = byVersion.get(versionId(record.workflow, record.workflowVersion));
      return found?.fingerprint === record.fingerprint ? found : undefined;
    },
  };
}

const versionId = (name: WorkflowName | string, version: number) => `${name}@${version}`;
