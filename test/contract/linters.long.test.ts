/**
 * Linters that others publish read both descriptions: Spectral's default rules for OpenAPI and AsyncAPI's own
 * parser find neither an error nor a warning.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { lintersFolder, lintersMissing } from '../edge/surfaces/compat/vendors.ts';
import { operationsOf } from './operations.ts';
import { World } from './world.ts';

interface Finding {
  readonly code: string | number;
  readonly severity: number;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface AsyncApi {
  Parser: new () => { parse(text: string): Promise<{ document: unknown; diagnostics: readonly Finding[] }> };
}

/** Hints and information are no findings. */
const WARNING = 1;

const missing = lintersMissing();
const world = await World.open();
afterAll(() => world.stop());
const folder = mkdtempSync(join(tmpdir(), 'linters-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const faultsOf = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ severity }) => severity <= WARNING)
    .map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`);

describe.skipIf(missing)('the descriptions', () => {
  it('have no warning by Spectral’s rules for OpenAPI', async () => {
    const [file, rules, output] = ['openapi.json', 'rules.json', 'found.json'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    writeFileSync(file, JSON.stringify(world.openapi));
    writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'] }));
    const spectral = join(lintersFolder, 'node_modules/@stoplight/spectral-cli/dist/index.js');
    const args = [spectral, 'lint', file, '--ruleset', rules, '--format', 'json', '--output', output];
    await promisify(execFile)(process.execPath, [...args, '--fail-severity', 'error', '--quiet']).catch(
      () => undefined,
    );
    expect(faultsOf(JSON.parse(readFileSync(output, 'utf8')) as Finding[])).toEqual([]);
  }, 300_000);

  it('have no warning by AsyncAPI’s parser', async () => {
    const { Parser } = createRequire(join(lintersFolder, 'package.json'))('@asyncapi/parser') as AsyncApi;
    const { document, diagnostics } = await new Parser().parse((await world.send('/asyncapi.json')).text);
    expect(faultsOf(diagnostics)).toEqual([]);
    expect(document).toBeDefined();
  }, 120_000);
});

describe('the names of shapes', () => {
  const { schemas } = world.openapi.components as { schemas: Record<string, object> };

  it('are those of resources, their lists and errors', () => {
    for (const name of [
      'Agent',
      'AgentList',
      'Call',
      'CallList',
      'Error',
      'OmniCall',
      'Problem',
      'TelephonyCall',
    ])
      expect(Object.keys(schemas)).toContain(name);
    for (const name of [
      'TranscriptionJob',
      'TranscriptionJobDeleted',
      'Voice',
      'VoiceList',
      'WebhookDelivery',
    ])
      expect(Object.keys(schemas)).toContain(name);
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
  });

  it('are each used, and no shape with fields stands twice without one', () => {
    const text = JSON.stringify(world.openapi);
    for (const name of Object.keys(schemas)) expect(text, name).toContain(`"#/components/schemas/${name}"`);
    const inline = new Map<string, number>();
    const count = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, properties } = value as { type?: unknown; properties?: object };
      if (type === 'object' && Object.keys(properties ?? {}).length > 0) {
        const key = JSON.stringify(value);
        inline.set(key, (inline.get(key) ?? 0) + 1);
      }
      for (const [key, one] of Object.entries(value)) if (key !== 'example' && key !== 'examples') count(one);
    };
    for (const item of Object.values(world.openapi.paths as object)) count(item);
    for (const [name, schema] of Object.entries(schemas))
      if (name !== 'Error' && name !== 'Problem') for (const one of Object.values(schema)) count(one);
    const twice = [...inline].filter(([, times]) => times > 1).map(([shape]) => shape.slice(0, 200));
    expect(twice).toEqual([]);
  });

  it('are resolved to the shapes that routes validate', () => {
    for (const { responses } of operationsOf(world.openapi))
      expect(
        JSON.stringify(responses).replaceAll(/"#\/components\/schemas\/(Error|Problem)"/g, ''),
      ).not.toContain('"#/components/schemas/');
  });
});
