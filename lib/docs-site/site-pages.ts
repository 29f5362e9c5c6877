/** The pages of the documentation site: from which file of the repository each is made, and where it stands in the sidebar. */
import { subpaths } from '#packaging/entry-points.ts';

/** A page that is made from a file of the repository. */
export interface SitePage {
  /** The path of the file, from the root of the repository. */
  readonly source: string;
  /** The path of the page in the site, without its extension. */
  readonly path: string;
  /** Its name in the sidebar. */
  readonly label: string;
  /** The sections of the file that the page shows, where the page is only a part of the file. */
  readonly sections?: readonly string[];
}

/** A page of the exports of an entry point. */
export interface EntryPage {
  /** What users import, such as `reeve/local`. */
  readonly entry: string;
  /** The source of the entry point. */
  readonly module: string;
  readonly path: string;
}

/** A heading of the sidebar with its pages. */
export interface SiteSection {
  readonly title: string;
  readonly pages: readonly Pick<SitePage, 'path' | 'label'>[];
}

const document = (name: string, label: string): SitePage => ({
  source: `docs/${name}.md`,
  path: name,
  label,
});

/** The beginning of the README is the home page, its other sections are pages of their own. */
const readme = {
  home: {
    ...{ source: 'README.md', path: 'index', label: 'Introduction' },
    sections: ['Is it for you?', 'Your first order'],
  },
  shop: {
    ...{ source: 'README.md', path: 'shop', label: 'The shop as an example' },
    sections: [
      ...['See it recover', 'Break a supplier', 'Define a workflow', 'The console'],
      'Deploy to AWS',
    ],
  },
  guarantees: {
    ...{ source: 'README.md', path: 'guarantees', label: 'Guarantees and figures' },
    sections: ['Guarantees', 'Figures'],
  },
} as const satisfies Readonly<Record<string, SitePage>>;

const start = [
  readme.home,
  document('tutorial', 'Tutorial'),
  document('concepts', 'Concepts'),
  readme.shop,
  readme.guarantees,
];
const use = [
  document('recipes', 'Recipes'),
  document('testing', 'Tests and prove'),
  document('api', 'API and command line'),
  document('access', 'Access'),
  document('notifications', 'Notifications'),
  document('embedded-data', 'Embedded data'),
  {
    ...{ source: 'examples/agent-python/README.md', path: 'agent-python' },
    label: 'An agent in Python',
  },
];
const aws = [
  document('aws', 'Deployment'),
  document('runbook', 'Runbook'),
  document('scale', 'Before 1,000 orders per second'),
  {
    ...{ source: 'examples/cdk-app/README.md', path: 'cdk-app' },
    label: 'In an existing CDK app',
  },
];
const reference = document('reference', 'Commands, settings, codes');
const inside = [
  document('design', 'Design'),
  document('figures', 'Figures'),
  document('proof', 'Proof'),
  document('mutation', 'Mutation tests'),
  document('why-not-step-functions', 'Why not Step Functions?'),
  { source: 'CONTRIBUTING.md', path: 'contributing', label: 'Contributing' },
  { source: 'CHANGELOG.md', path: 'changelog', label: 'Changelog' },
];

/** The page that lists the machine-readable contracts. */
export const contractsPage = { path: 'contracts/index', label: 'Contracts' };

/** The page that lists the entry points of the package. */
export const packagePage = { path: 'package/index', label: 'The package' };

/** Every page that is made from a file. */
export const sitePages: readonly SitePage[] = [...start, ...use, ...aws, reference, ...inside];

/** The pages of the entry points, in the order of the package. */
export const entryPages: readonly EntryPage[] = Object.entries(subpaths).map(
  ([subpath, module]) => {
    const entry = `reeve${subpath.slice(1)}`;
    return { entry, module, path: `package/${entry.split('/').at(-1)}` };
  },
);

/** The absolute address of a page. */
export const addressOf = (path: string): string => `/${path.replace(/(^|(?<=\/))index$/, '')}`;

/** The sidebar. */
export const sections: readonly SiteSection[] = [
  { title: 'Start', pages: start },
  { title: 'Use', pages: use },
  { title: 'AWS', pages: aws },
  { title: 'Reference', pages: [reference, contractsPage] },
  {
    title: 'Package',
    pages: [packagePage, ...entryPages.map(({ entry, path }) => ({ label: entry, path }))],
  },
  { title: 'Inside', pages: inside },
];
