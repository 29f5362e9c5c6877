/**
 * The entry module of each function, as text: it passes the modules of the application to the factory of its handler. A
 * function is bundled from its own text, so that its bundle has its own role alone.
 */
import { extname, join, resolve } from 'node:path';

/** The factory of each role's handler, by the file in `lambdas` that exports it. */
const factories = {
  'front-door': 'frontDoorHandler',
  scheduler: 'schedulerHandler',
  supervisor: 'supervisorHandler',
  submission: 'submissionHandler',
  notifier: 'notifierHandler',
  webhook: 'webhookHandler',
} as const;

/** A function that has no code of the application but the workflows. */
export type RoleFunction = keyof typeof factories;

/** The roles that read orders, and so need the workflows. */
const ofWorkflows: ReadonlySet<string> = new Set<RoleFunction>([
  'front-door',
  'scheduler',
  'supervisor',
  'submission',
]);

/** In the repository the files are TypeScript; where the package is installed they are JavaScript, in the same folders. */
const extension = extname(import.meta.filename);
const lambdas = join(import.meta.dirname, '..', '..', '..', 'lambdas');
const quoted = (path: string) => JSON.stringify(path);
const from = (name: string) => quoted(join(lambdas, `${name}${extension}`));

/**
 * The entry module of a role.
 *
 * @param workflows the module that exports `workflows`; relative to the folder in which the app runs
 */
export function roleSource(role: RoleFunction, workflows: string): string {
  const factory = factories[role];
  const imported = `import { ${factory} } from ${from(role)};`;
  if (!ofWorkflows.has(role)) return `${imported}\nexport const handler = ${factory}();\n`;
  return [
    imported,
    `import { workflows } from ${quoted(resolve(workflows))};`,
    `export const handler = ${factory}({ workflows });`,
    '',
  ].join('\n');
}

/** Where the code of an agent is. */
export type AgentCode =
  /** A module, and the name under which it exports the agent's implementation. */
  | { readonly module: string; readonly export: string }
  /** A module that exports a handler of its own as `handler`. */
  | { readonly handler: string };

/** The entry module of an agent's function. Paths are relative to the folder in which the app runs. */
export function agentSource(code: AgentCode): string {
  if ('handler' in code) return `export { handler } from ${quoted(resolve(code.handler))};\n`;
  return [
    `import { agentHandler } from ${from('agent-handler')};`,
    `import { ${code.export} as agent } from ${quoted(resolve(code.module))};`,
    'export const handler = agentHandler({ agent });',
    '',
  ].join('\n');
}
