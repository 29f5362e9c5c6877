/** The forms of an agent, which types do not hold in code that is written without them: the wrong one would fail at the deployment. */
import * as z from 'zod';
import { refusedText } from '#core/codec/field-errors.ts';
import { nameText } from '#core/codec/name-text.ts';
import { ReeveError } from '#core/model/errors.ts';
import {
  checkNetwork,
  given,
  networkShape,
  secondsNow,
  text,
  wholeNow,
  wholeOrLater,
} from '#infra/settings/given-objects.ts';
import { unknownNames } from '#infra/settings/unknown-names.ts';
import type { AgentProps } from './agent-props.ts';

/** The address of the agent's service, which an app may set: the other names of this form are those that Reeve gives. */
const ownVariable = 'REEVE_SERVICE_URL';
/** As names of variables. */
const secretName = /^[A-Za-z][A-Za-z0-9_]*$/;
/** As Lambda takes them (Lambda API, `Environment`). */
const variableName = /^[A-Za-z][A-Za-z0-9_]+$/;
/** The longest timeout of a function (Lambda quotas), and of a message that is hidden (SQS quotas), s. */
const timeoutMax = { function: 900, elsewhere: 43_200 };
/** As modules name their exports. */
const exportName = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

const everyAgent = { name: nameText };
const elsewhere = {
  ...everyAgent,
  timeout: secondsNow(1, timeoutMax.elsewhere).optional(),
};
const invoked = {
  ...everyAgent,
  timeout: secondsNow(1, timeoutMax.function).optional(),
  // The limits of Lambda with SQS, for one priority class.
  maxConcurrency: wholeNow(2, 1_000).optional(),
};
const bundled = {
  ...invoked,
  ...networkShape,
  memorySize: wholeOrLater(128, 10_240).optional(),
  environment: z
    .record(z.string(), z.string())
    .superRefine((variables, context) => {
      for (const name of Object.keys(variables)) {
        const message = faultOfVariable(name);
        if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
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

function faultOfVariable(name: string): string | null {
  if (!variableName.test(name)) {
    return 'must be two or more letters, digits and "_", beginning with a letter';
  }
  if (!name.startsWith('REEVE_') || name === ownVariable) return null;
  return 'is reserved: variables that begin with REEVE_ are those of Reeve';
}

/** A secret has its ARN in a variable. */
function checkVariables(
  { environment = {}, secrets = {} }: { readonly [name in 'environment' | 'secrets']?: object },
  context: z.core.$RefinementCtx,
): void {
  for (const name of Object.keys(secrets)) {
    if (!Object.hasOwn(environment, `${name}_ARN`)) continue;
    const message = `is also the variable of the secret ${name}`;
    context.addIssue({ code: 'custom', path: ['environment', `${name}_ARN`], message });
  }
}

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
  const shape: z.ZodRawShape = code === undefined ? elsewhere : forms[code];
  const known = [...Object.keys(shape), ...(code === undefined ? codes : [])];
  const what = `a property of an agent ${code === undefined ? 'without code' : `with \`${code}\``}`;
  const unknown = unknownNames(Object.keys(props), known, what);
  const parsed = z
    .object(shape)
    .superRefine(checkNetwork)
    .superRefine(checkVariables)
    .safeParse(props);
  return parsed.success ? unknown : [...unknown, refusedText(parsed.error, 'the agent')];
}
