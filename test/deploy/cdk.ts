/** The CDK's own command line, as a user runs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudFormationClient,
  DeleteStackCommand,
  ListStacksCommand,
} from '@aws-sdk/client-cloudformation';
import * as z from 'zod';

export interface CdkApp {
  /** As `cdk --app` takes it; default: that of cdk.json. */
  readonly app?: string;
  readonly stack: string;
  readonly context: Readonly<Record<string, string>>;
}

export type Env = Readonly<Record<string, string>>;

export async function bootstrap(env: Env): Promise<void> {
  await cdk(['bootstrap', `aws://${env['CDK_DEFAULT_ACCOUNT']}/${env['AWS_REGION']}`], env);
}

/** Deploys the app; returns the stack's outputs. */
export async function deploy(app: CdkApp, env: Env): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-outputs-'));
  const outputs = join(folder, 'outputs.json');
  try {
    await cdk(
      ['deploy', app.stack, '--require-approval=never', '--outputs-file', outputs, ...argsOf(app)],
      env,
    );
    const all = z
      .record(z.string(), z.record(z.string(), z.string()))
      .parse(JSON.parse(readFileSync(outputs, 'utf8')));
    return Object.values(all)[0] ?? {};
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Like `cdk destroy`, but by name: the command uses the stack's ARN, by which MiniStack 1.4.21 finds no stack. */
export async function destroy(stackName: string): Promise<void> {
  const client = new CloudFormationClient({});
  await client.send(new DeleteStackCommand({ StackName: stackName }));
  for (let tries = 0; tries < 300; tries += 1) {
    const { StackSummaries: stacks = [] } = await client.send(new ListStacksCommand({}));
    const found = stacks.find((stack) => stack.StackName === stackName);
    if (found === undefined || found.StackStatus === 'DELETE_COMPLETE') return;
    await sleep(200);
  }
  throw new Error(`${stackName} still exists`);
}

function argsOf({ app, context }: CdkApp): string[] {
  return [
    ...(app === undefined ? [] : ['--app', app]),
    ...Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

async function cdk(args: readonly string[], env: Env): Promise<void> {
  const output = mkdtempSync(join(tmpdir(), 'reeve-cdk-out-'));
  const child = spawn(join('node_modules', '.bin', 'cdk'), [...args, '--output', output], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'exit');
  rmSync(output, { recursive: true, force: true });
  if (code !== 0) throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${said}`);
}
