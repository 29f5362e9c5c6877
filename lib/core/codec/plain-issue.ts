/**
 * Rewords the English messages of zod, which name its types and operators, for users. Messages that the
 * author of a schema wrote are unchanged.
 */
import type * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** The end of a sentence that begins with the field: `must be a whole number`. */
export function plainIssue(issue: Issue): string {
  return zodText[issue.code]?.test(issue.message) === true ? issueText(issue) : issue.message;
}

/** The English messages of zod (zod/v4/locales/en): others are from the author of the schema. */
const zodText: Readonly<Partial<Record<NonNullable<Issue['code']>, RegExp>>> = {
  invalid_type: /^Invalid input: expected \w+, received \w+$/,
  invalid_value: /^Invalid (input: expected |option: expected one of )/,
  too_small: /^Too small: expected /,
  too_big: /^Too big: expected /,
  invalid_format:
    /^Invalid (string: must (start with|end with|include|match pattern) .+|input|URL|UUID|email address|ISO (date|datetime|time|duration)|[a-z0-9_]+)$/,
  not_multiple_of: /^Invalid number: must be a multiple of /,
  invalid_key: /^Invalid key in /,
  invalid_element: /^Invalid value in /,
  invalid_union: /^Invalid (input|discriminator value)/,
  custom: /^Invalid input$/,
};

function issueText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${typeNames[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'too_small':
    case 'too_big':
      return sizeText(issue);
    case 'invalid_format':
      return formatText(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return keyText(issue);
    case 'invalid_element':
      return 'has an element that is not allowed';
    case 'invalid_union':
      return 'has none of the forms that are allowed here';
    case 'unrecognized_keys':
      return 'is not known here';
    case 'custom':
      return 'is not valid';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  map: 'a Map',
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

type SizeIssue = Extract<Issue, { code: 'too_small' | 'too_big' }>;

const units: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
  file: ['byte', 'bytes'],
};

function sizeText(issue: SizeIssue): string {
  const isMin = issue.code === 'too_small';
  const bound = isMin ? issue.minimum : issue.maximum;
  const unit = units[issue.origin];
  if (unit === undefined) {
    if (issue.inclusive === false) return `must be ${isMin ? 'more' : 'less'} than ${bound}`;
    return `must be at ${isMin ? 'least' : 'most'} ${bound}`;
  }
  if (isMin && Number(bound) === 1 && issue.exact !== true) return 'must not be empty';
  const how = issue.exact === true ? 'exactly' : `at ${isMin ? 'least' : 'most'}`;
  return `must have ${how} ${bound} ${unit[Number(bound) === 1 ? 0 : 1]}`;
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'an instant such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  url: 'an absolute URL',
  email: 'an e-mail address',
  uuid: 'a UUID',
};

function formatText(issue: Extract<Issue, { code: 'invalid_format' }>): string {
  const { format, message, pattern } = issue;
  const [, rule] = /^Invalid string: must (?!match)(.+)$/.exec(message) ?? [];
  if (rule !== undefined) return `must ${rule}`;
  if (format === 'regex') return `must match the pattern ${pattern ?? ''}`.trimEnd();
  const form = formats[format];
  return form === undefined ? 'does not have the required form' : `must be ${form}`;
}

/** For an invalid name of a field. */
function keyText({ issues }: Extract<Issue, { code: 'invalid_key' }>): string {
  const [first] = issues;
  return first === undefined ? 'has a name that is not allowed' : `as a name: ${plainIssue(first)}`;
}
