import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

interface TestFile {
  readonly path: string;
  readonly text: string;
}

interface Requirements {
  requirementsOf(files: readonly TestFile[]): Map<string, Map<string, Set<string>>>;
  routesOf(files: readonly TestFile[]): { name: string; tests: string[] }[];
  codesOf(files: readonly TestFile[], codes: readonly string[]): { code: string; tests: string[] }[];
  gapsOf(found: {
    areas: Map<string, unknown>;
    codes: readonly { code: string; tests: string[] }[];
  }): string[];
}

const requirements = async () =>
  (await import(`${import.meta.dirname}/../../scripts/requirements.mjs`)) as Requirements;

// A tag in this file would be one of the page.
const tag = (rest: string) => `// ${'@'}requirement ${rest}`;

it('docs/requirements.md is current, and no section of the specification or error code is without a test', () => {
  const done = spawnSync('node', ['scripts/requirements.mjs', '--check'], { encoding: 'utf8' });
  expect(done).toMatchObject({ status: 0, stderr: '' });
});

it('lists each requirement with every test that names it, and refuses a tag that cannot be read', async () => {
  const { requirementsOf } = await requirements();
  const text = `${tag('SIP: A call ends.')}\n  ${tag('Dub: A dub ends.')}\n`;
  const areas = requirementsOf([
    { path: 'test/a.test.ts', text },
    { path: 'native/test/b_test.cc', text: tag('SIP: A call ends.') },
  ]);
  expect([...areas.keys()]).toEqual(['SIP', 'Dub']);
  expect([...areas.get('SIP')!.get('A call ends.')!]).toEqual(['test/a.test.ts', 'native/test/b_test.cc']);
  for (const bad of ['SIP A call ends.', 'SIP: A call ends', 'sip: A call ends.'])
    expect(() => requirementsOf([{ path: 'test/a.test.ts', text: `\n${tag(bad)}` }])).toThrow(
      /test\/a\.test\.ts:2/,
    );
  expect(() => requirementsOf([{ path: 'test/a.ts', text: tag('SIP: A call ends.') }])).toThrow(
    /only a test/,
  );
});

it('finds the tests of a route by its path with parameters, and of a code by a literal that has it', async () => {
  const { routesOf, codesOf } = await requirements();
  const routes = routesOf([
    {
      path: 'test/contract/cases/agents.ts',
      text: "  'GET /v1/agents/{id}': plain,\n  'GET /v1/agents': plain,\n",
    },
    { path: 'test/edge/agents.test.ts', text: 'ask(`/v1/agents/${' + 'id}?draft=true`)' },
    {
      path: 'test/contract/cases/tools.ts',
      text: "const BASE = '/v1/tools';\n  [`GET ${" + 'BASE}`]: plain,\n',
    },
  ]);
  expect(routes).toEqual([
    { name: 'GET /v1/agents', tests: ['test/contract/cases/agents.ts'] },
    { name: 'GET /v1/agents/{id}', tests: ['test/contract/cases/agents.ts', 'test/edge/agents.test.ts'] },
    { name: 'GET /v1/tools', tests: ['test/contract/cases/tools.ts'] },
  ]);
  const codes = codesOf(
    [{ path: 'test/a.test.ts', text: "// capacity\nexpect(code).toBe('409 case_closed');" }],
    ['capacity', 'case_closed'],
  );
  expect(codes.map(({ tests }) => tests)).toEqual([[], ['test/a.test.ts']]);
});

it('names an error code without a test and an area of the specification without one', async () => {
  const { gapsOf } = await requirements();
  const gaps = gapsOf({ areas: new Map(), codes: [{ code: 'capacity', tests: [] }] });
  expect(gaps).toContain('no test names the error code capacity');
  expect(gaps).toContain('Events: no test has a requirement of Webhooks');
});
