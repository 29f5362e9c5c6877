/** The forms of an agent, which types do not hold in code that is written without them: the wrong one would fail at the deployment. */
import * as z from 'zod';
import { refusedText } from '#core/codec/field-errors.ts';
import { ReeveError } from '#core/model/errors.ts';
import { agentName } from '#core/model/ids.ts';
import {
  checkNetwork,
  given,
  networkShape,
  text,
  wholeOrLater,
} from '#infra/settings/given-objects.ts';
import { unknownNames } from '#infra/settings/unknown-names.ts';
import type { AgentProps } from './agent-props.ts';

/** The address of the agent's service, which an app may set: the other names of this form are those that Reeve gives. */
const ownVariable = 'REEVE_SERVICE_URL';
/** As names of variables. */
const secretName = /^[A-Za-z][A-Za-z0-9_]*$/;
/** As modules name their exports. */
const exportName = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

const everyAgent = {
  name: z
    .string()
    .regex(
      new RegExp(agentName.pattern),
      'must be up to 40 of a-z, 0-9 and "-", beginning with a letter',
    ),
  timeout: given.duration.optional(),
};
const invoked = {
  ...everyAgent,
  // The limits of Lambda with SQS, for one priority class.
  maxConcurrency: wholeOrLater(2, 1_000).optional(),
};
const bundled = {
  ...invoked,
  ...networkShape,
  memorySize: wholeOrLater(128, 10_240).optional(),
  environment: z
    .record(z.string(), z.string())
    .superRefine((variables, context) => {
      for (const name of Object.keys(variables)) {
        if (!name.startsWith('REEVE_') || name === ownVariable) continue;
        const message = 'is reserved: variables that begin with REEVE_ are those of Reeve';
        context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .optional(),
  secrets: z
    .record(
      z.string().regex(secretName, 'must be letters, digits and "_", as the name of a variable'),
      given.secret,
    )
    .optional(),
};

/** The properties of each form, by the property that tells it from the others. */
const forms = {
  module: {
    ...bundled,
    module: text,
    export: z.string().regex(exportName, 'must be the name of an export'),
  },
  handler: { ...bundled, handler: text },
  function: { ...invoked, function: given.lambdaFunction },
};
const codes = ['module', 'handler', 'function'] as const;

/**
 * Checks the form of an agent that is to be added.
 *
 * @param path of the deployment, for the error
 * @throws {ReeveError} `settings-invalid` naming every property that is not valid
 */
export function checkAgent(path: string, agent: AgentProps | undefined): void {
  const props = Object.fromEntries(
    Object.entries(agent ?? {}).filter(([, value]) => value !== undefined),
  );
  const [code, other] = codes.filter((name) => name in props);
  const faults =
    code !== undefined && other !== undefined
      ? [`it has \`${code}\` and \`${other}\`: give one of them`]
      : faultsOf(props, code);
  if (faults.length === 0) return;
  throw new ReeveError(
    'settings-invalid',
    `Invalid agent${'name' in props ? ` \`${props['name']}\`` : ''} of ${path}: ${faults.join('; ')}.`,
  );
}

function faultsOf(
  props: Readonly<Record<string, unknown>>,
  code: (typeof codes)[number] | undefined,
): readonly string[] {
  const shape: z.ZodRawShape = code === undefined ? everyAgent : forms[code];
  const known = [...Object.keys(shape), ...(code === undefined ? codes : [])];
  const what = `a property of an agent ${code === undefined ? 'without code' : `with \`${code}\``}`;
  const unknown = unknownNames(Object.keys(props), known, what);
  const parsed = z.object(shape).superRefine(checkNetwork).safeParse(props);
  return parsed.success ? unknown : [...unknown, refusedText(parsed.error, 'the agent')];
}
