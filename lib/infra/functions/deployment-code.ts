/** The code of the functions of one deployment. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Stack, Stage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';
import { pathInStack } from '#infra/deployment/deployment.ts';
import { type Bundle, bundle as esbuild } from './bundles.ts';
import { type DeployedWorkflows, deployedWorkflows } from './deployed-workflows.ts';
import { type AgentCode, agentSource, type RoleFunction, roleSource } from './function-code.ts';

const consoleBuilt = join(import.meta.dirname, '..', '..', 'console', 'dist');

/** What the code of a deployment is made of. */
export interface DeploymentCodeProps {
  /** The module that exports `workflows`. */
  readonly workflows: string;
  /** The functions that it has beside those of agents. */
  readonly roles: readonly RoleFunction[];
  /** The agents that are known now: one run of esbuild for all is faster than one for each. @default none */
  readonly agents?: ReadonlyMap<string, AgentCode>;
  readonly bundle?: Bundle | undefined;
}

/**
 * The code of a deployment. Where the CDK needs no code, as for `cdk destroy` and in most tests of an application, it makes
 * none.
 */
export class DeploymentCode {
  private readonly scope: Construct;
  /** The module that exports `workflows`. */
  readonly workflows: string;
  private readonly bundle: Bundle;

  constructor(
    scope: Construct,
    { workflows, roles, agents = new Map(), bundle = esbuild }: DeploymentCodeProps,
  ) {
    this.scope = scope;
    this.workflows = workflows;
    this.bundle = bundle;
    if (this.isNeeded) {
      this.foldersOf({
        ...Object.fromEntries(roles.map((role) => [role, roleSource(role, workflows)])),
        ...Object.fromEntries([...agents].map(([name, code]) => [named(name), agentSource(code)])),
      });
    }
  }

  /** The agents of its workflows, and their limits; undefined where the CDK needs no code. */
  get deployed(): DeployedWorkflows | undefined {
    return this.isNeeded ? deployedWorkflows(this.workflows) : undefined;
  }

  /** The code of a role's function. */
  role(role: RoleFunction): Code {
    return this.codeOf(role, roleSource(role, this.workflows));
  }

  /** The code of the front door, with the files of the console. @throws {ReeveError} `console-unbuilt` */
  frontDoorWithConsole(): Code {
    if (!this.isNeeded) return this.role('front-door');
    if (!existsSync(join(consoleBuilt, 'index.html'))) {
      throw new ReeveError(
        'console-unbuilt',
        'The console is not built. Run `npm run prepare` where Reeve is installed, then deploy again.',
      );
    }
    const name = 'front-door';
    const folder = this.foldersOf({ [name]: roleSource(name, this.workflows) })(name);
    const copy = `${folder}-with-console`;
    cpSync(folder, copy, { recursive: true });
    cpSync(consoleBuilt, join(copy, 'console'), { recursive: true });
    return Code.fromAsset(copy);
  }

  /** The code of an agent's function. */
  agent(name: string, code: AgentCode): Code {
    return this.codeOf(named(name), agentSource(code));
  }

  private codeOf(name: string, source: string): Code {
    return this.isNeeded
      ? Code.fromAsset(this.foldersOf({ [name]: source })(name))
      : Code.fromInline('// The CDK does not need the code of this function now.');
  }

  /** Beside the template, so that deleting the assembly deletes the bundles too. */
  private foldersOf(sources: Readonly<Record<string, string>>): (name: string) => string {
    const stack = Stack.of(this.scope);
    const folder = ['bundles', stack.artifactId, ...pathInStack(this.scope)].join('-');
    return this.bundle(sources, join(Stage.of(stack)?.outdir ?? 'cdk.out', folder));
  }

  private get isNeeded(): boolean {
    return Stack.of(this.scope).bundlingRequired;
  }
}

const named = (agent: string) => `agent-${agent}`;
