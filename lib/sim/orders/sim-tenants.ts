/** Whose the simulated orders are: names of tenants that code may take for something else. */

export const tenants: readonly [string | null, ...(string | null)[]] = [
  null,
  null,
  'acme',
  // Wildcards of queues and filters.
  '*',
  '#',
  // Names of properties that every object has.
  '__proto__',
  'constructor',
  // Texts that read as no name.
  '',
  ' ',
  'null',
  // As long as a name may be, and characters of more than one code unit.
  'x'.repeat(64),
  'Zoë’s 🛒',
];
