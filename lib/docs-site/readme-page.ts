/** Pages that are parts of the README: the program of the first order and the figures have one source. */
import type { SitePage } from './site-pages.ts';

/** The sections that no page shows, because the sidebar takes their place. */
export const sectionsNotShown: readonly string[] = ['Documentation'];

const hero = (tagline: string) => `---
layout: home
title: Reeve
titleTemplate: false
hero:
  name: Reeve
  tagline: ${JSON.stringify(tagline)}
  actions:
    - { theme: brand, text: Your first order, link: '#your-first-order' }
    - { theme: alt, text: Tutorial, link: /tutorial }
    - { theme: alt, text: Concepts, link: /concepts }
features:
  - title: Exactly once, in state
    details: Each transition of an order happens once, even when messages are lost, duplicated or late, or processes are killed.
    link: /guarantees
  - title: Undo, even in doubt
    details: An order that cannot be finished is undone completely, including the steps that may have happened.
    link: /concepts
  - title: On AWS, or in one process
    details: A CDK construct on Lambda, DynamoDB and SQS, or one process on SQLite. The workflows are the same.
    link: /aws
  - title: Proven on your workflow
    details: Tests in virtual time, and a simulator that looks for what is wrong with your own steps and agents.
    link: /testing
---`;

/** The text of each section of second level by its title. */
export function sectionsOf(readme: string): ReadonlyMap<string, string> {
  const [, ...parts] = readme.split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), `## ${part}`]));
}

/** @throws {Error} when the README has no section of a title that the page names */
export function readmePage(readme: string, { path, label, sections = [] }: SitePage): string {
  const all = sectionsOf(readme);
  const texts = sections.map((title) => {
    const text = all.get(title);
    if (text === undefined) throw new Error(`The README has no section "${title}".`);
    return text;
  });
  if (path !== 'index') return [`# ${label}\n`, ...texts].join('\n');
  const [, tagline = '', intro = ''] = /^# .*?\n\n(.*?)\n\n(.*?)^## /ms.exec(readme) ?? [];
  return [hero(tagline), intro, ...texts].join('\n');
}
