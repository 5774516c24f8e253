// @requirement Compliance cases: Missing rules fail closed with a code.
// @requirement Compliance cases: Conditions of a market require further fields.
// @requirement Compliance cases: Thresholds, retries, parallelism, cost and retention are configured.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  CASE_KINDS,
  type CaseKind,
  COUNTRIES,
  type Country,
} from '../../../src/telephony/compliance/contract.ts';
import { RegistryError, readRules } from '../../../src/telephony/compliance/registry/reading.ts';
import { Registry } from '../../../src/telephony/compliance/registry/registry.ts';

const rules = readRules();
const registry = new Registry(rules);
const FOLDER = join(import.meta.dirname, '../../../src/telephony/compliance/registry/countries');

const freeze = (kind: CaseKind, country: Country, number_type: string, capabilities = ['voice']) =>
  registry.freeze({ kind, country, number_type, capabilities }, 1_000, null);

// @requirement Compliance cases: Rules are versioned data with source and date.
it('has rules for each country and each kind, and each cites sources with their dates', () => {
  expect(rules.countries.map(({ country }) => country).sort()).toEqual([...COUNTRIES].sort());
  for (const { country, markets } of rules.countries) {
    expect([...new Set(markets.map(({ kind }) => kind))].sort(), country).toEqual([...CASE_KINDS].sort());
    for (const { kind, number_types } of markets) {
      for (const type of number_types) {
        const snapshot = freeze(kind, country, type);
        expect(snapshot.source_ids.length).toBeGreaterThan(0);
        for (const source of snapshot.config.sources) {
          expect(source.url).toMatch(/^https:\/\//);
          expect(Date.parse(source.date)).toBeLessThanOrEqual(Date.now());
        }
        expect(snapshot.config.notice).toContain('operator must confirm');
        expect(snapshot.config.attestations.map(({ id }) => id)).toContain('rules_confirmed');
      }
    }
  }
});

// @requirement Compliance cases: The rules of US, CA, GB, AU and IN check the forms and checksums of identifiers.
it('asks for what each market asks for', () => {
  const asked = (kind: CaseKind, country: Country, type = 'local') =>
    Object.fromEntries(
      freeze(kind, country, type).config.documents.map(({ id, fields }) => [
        id,
        fields.map(({ field }) => field),
      ]),
    );
  expect(asked('new_number', 'US')).toEqual({});
  expect(asked('port_in', 'US')).toMatchObject({
    letter_of_authority: expect.arrayContaining(['account_number', 'port_out_pin', 'phone_number']),
    telephone_bill: expect.arrayContaining(['bill_date']),
  });
  expect(asked('new_number', 'CA')).toHaveProperty('proof_of_address');
  expect(asked('new_number', 'GB')).toMatchObject({
    company_extract: expect.arrayContaining(['company_number', 'manager_name']),
    proof_of_address: expect.anything(),
  });
  expect(asked('port_in', 'GB')).toHaveProperty('letter_of_authority');
  expect(Object.keys(asked('new_number', 'AU', 'mobile')).length).toBeGreaterThan(
    Object.keys(asked('new_number', 'AU', 'local')).length,
  );
  expect(asked('port_in', 'AU')).toMatchObject({
    letter_of_authority: expect.arrayContaining(['abn', 'birth_date']),
    invoice: expect.anything(),
  });
  expect(Object.keys(asked('new_number', 'IN'))).toEqual([
    'certificate_of_incorporation',
    'gst_certificate',
    'pan_card',
    'signatory_identity',
  ]);
  expect(freeze('port_in', 'IN', 'local').config.manual_review).toBe(true);
});

it('asks for a bill of 30 days at most where a US or Canadian number moves', () => {
  for (const country of ['US', 'CA'] as const) {
    const bill = freeze('port_in', country, 'local').config.documents.find(
      ({ id }) => id === 'telephone_bill',
    );
    expect(bill?.fields.find(({ field }) => field === 'bill_date')?.max_age_days).toBe(30);
  }
});

it.each([
  ['number_type', 'port_in', 'GB', 'satellite', ['voice']],
  ['number_type', 'new_number', 'CA', 'mobile', ['voice']],
  ['capabilities', 'new_number', 'US', 'local', ['voice', 'telepathy']],
] as const)('refuses what it has no rules for, naming %s', (param, kind, country, type, capabilities) => {
  expect(() => freeze(kind, country, type, [...capabilities])).toThrow(
    expect.objectContaining({ code: 'rules_unavailable', param }),
  );
});

it('lets an organization’s own retention win, and freezes all of processing', () => {
  const { config } = registry.freeze(
    { kind: 'port_in', country: 'US', number_type: 'local', capabilities: ['voice'] },
    1,
    7,
  );
  expect(config.retention.document_days).toBe(7);
  expect(config).toMatchObject({
    thresholds: expect.anything(),
    retry: { scan: 3, extract: 3 },
    parallelism: 2,
    wall_clock_s: 900,
    cost: { max_micros: 40_000 },
  });
});

function spoiled(name: string, from: string, to: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of readdirSync(FOLDER)) {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    if (file === name) expect(text).toContain(from);
    writeFileSync(join(folder, file), file === name ? text.replace(from, to) : text);
  }
  return folder;
}

it.each([
  ['an unknown field', 'US.yaml', 'account_holder: required', 'shoe_size: required'],
  ['an unknown source', 'GB.yaml', 'sources: [gb-ofcom-conditions', 'sources: [gb-nobody'],
  ['a market that stands twice', 'CA.yaml', 'number_types: [toll_free]', 'number_types: [local]'],
  ['a match of what is not read', 'AU.yaml', 'right: invoice.business_name', 'right: invoice.abn'],
  ['a source without a date', 'IN.yaml', 'date: 2026-11-22', 'date: soon'],
  ['a condition of what is not read', 'AU.yaml', 'field: service_plan', 'field: shoe_size'],
  ['a condition without its source', 'US.yaml', 'source: us-cfr-52-36 }', 'source: us-nobody }'],
  ['a document whose alternative is missing', 'CA.yaml', 'one_of: proof_of_holding', 'one_of: alone'],
  ['an unknown format', 'registry.yaml', 'format: gstin', 'format: gst'],
])('does not start with %s', (_what, name, from, to) => {
  expect(() => readRules(spoiled(name, from, to))).toThrow(RegistryError);
});
