/** `reeve whoami` and `reeve token`: the principal of the caller, and tokens for new principals. */
import { createHash, randomBytes } from 'node:crypto';
import { principalSchema, type roles } from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { askAndPrint, type Context, printJson, printLines } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';

export interface TokenOptions {
  readonly role: (typeof roles)[number];
  readonly tenant?: string;
}

/** 256 random bits cannot be guessed, so an unsalted digest of them is safe to store. */
const secretBytes = 32;
const nameMax = 64;
const tenantMax = 64;

export async function whoAmI(context: Context): Promise<ExitCode> {
  const call = { method: 'GET', path: '/principal', answer: principalSchema } as const;
  return askAndPrint(context, context.reeve, call, ({ name, role, tenant }) => [
    `${name}: ${role === 'iam' ? 'what IAM allows' : role}${tenant === null ? '' : `, of tenant ${tenant}`}`,
  ]);
}

/**
 * Prints the token, once, and its entry for the file of tokens.
 *
 * @throws {CliError} `usage` for an invalid name or tenant
 */
export async function makeToken(
  { environment, json }: Context,
  name: string,
  { role, tenant }: TokenOptions,
): Promise<ExitCode> {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.@-]*$/.test(name) || name.length > nameMax) {
    const allowed = `up to ${nameMax} letters, digits, "_", ".", "@" and "-"`;
    throw new CliError(exitCodes.usage, `A name has ${allowed}, beginning with a letter or digit.`);
  }
  if (tenant !== undefined && (tenant === '' || tenant.length > tenantMax)) {
    throw new CliError(exitCodes.usage, `A tenant has 1 to ${tenantMax} characters.`);
  }
  const token = `reeve_${randomBytes(secretBytes).toString('base64url')}`;
  const sha256 = createHash('sha256').update(token).digest('hex');
  const entry = { name, role, ...(tenant !== undefined && { tenant }), sha256 };
  if (json) printJson(environment, { token, entry });
  else {
    printLines(environment, [
      `Token, shown only once: ${token}`,
      'Add this entry to the list in the file of REEVE_TOKENS:',
      `  ${JSON.stringify(entry)}`,
    ]);
  }
  return exitCodes.done;
}
