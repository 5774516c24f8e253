import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { CaseKind, Country } from '../contract.ts';
import { type Rules, readRules } from './reading.ts';
import type { CountryRules, Market, Shared } from './schema.ts';
import type { RulesSnapshot, SnapshotDocument, SnapshotField } from './snapshot.ts';

export interface Subject {
  readonly kind: CaseKind;
  readonly country: Country;
  readonly number_type: string;
  readonly capabilities: readonly string[];
}

export class Registry {
  readonly #rules: Rules;

  constructor(rules: Rules = readRules()) {
    this.#rules = rules;
  }

  freeze(subject: Subject, frozenAt: number, documentDays: number | null): RulesSnapshot {
    const { shared } = this.#rules;
    const { country, market } = this.#find(subject);
    const { processing } = shared;
    const retention = { document_days: documentDays ?? processing.retention.document_days };
    return {
      available: true,
      registry_version: shared.version,
      source_ids: market.sources,
      frozen_at: frozenAt,
      config: {
        ...processing,
        retention,
        notice: shared.notice,
        country: country.country,
        kind: market.kind,
        number_types: market.number_types,
        capabilities: market.capabilities,
        dates: country.dates,
        manual_review: market.manual_review === true,
        sources: market.sources.map((id) => ({ id, ...country.sources[id]! })),
        documents: market.documents.map((rule) => documentOf(shared, rule)),
        matches: market.matches ?? [],
        attestations: market.attestations.map((id) => ({
          id,
          text: shared.attestations[id]!,
          required: true,
        })),
      },
    };
  }

  asksBeforeOrder(phoneNumber: string): Country | null {
    const asking = this.#rules.countries.find(
      ({ country, case_before_order: asks }) => asks === true && isOf(country, phoneNumber),
    );
    return asking?.country ?? null;
  }

  #find(subject: Subject): { country: CountryRules; market: Market } {
    const country = this.#rules.countries.find((each) => each.country === subject.country);
    const market = country?.markets.find(
      ({ kind, number_types }) => kind === subject.kind && number_types.includes(subject.number_type),
    );
    if (country === undefined || market === undefined) throw unavailable(subject, this.#typesFor(subject));
    const other = subject.capabilities.find((each) => !market.capabilities.includes(each));
    if (other !== undefined) {
      throw new ApiError(
        'rules_unavailable',
        `The registry has no rules for ${other} on such numbers; supported capabilities are ${market.capabilities.join(', ')}.`,
        { param: 'capabilities' },
      );
    }
    return { country, market };
  }

  #typesFor({ country, kind }: Subject): string[] {
    const rules = this.#rules.countries.find((each) => each.country === country);
    return (rules?.markets ?? [])
      .filter((market) => market.kind === kind)
      .flatMap((market) => market.number_types);
  }
}

export const isOf = (country: string, phoneNumber: string): boolean =>
  phoneNumber.startsWith(`+${getCountryCallingCode(country as CountryCode)}`);

function unavailable({ country, kind }: Subject, types: readonly string[]): ApiError {
  const known = types.length === 0 ? 'none' : types.join(', ');
  const message = `The registry has no rules for such numbers (${kind} in ${country}); number types with rules: ${known}.`;
  return new ApiError('rules_unavailable', message, { param: 'number_type' });
}

function documentOf(shared: Shared, rule: Market['documents'][number]): SnapshotDocument {
  const { label, labels: also = {} } = shared.documents[rule.type]!;
  return {
    id: rule.type,
    document_type: rule.type,
    label,
    required: rule.required ?? rule.one_of === undefined,
    one_of: rule.one_of ?? null,
    accepted_mime_types: shared.files.mime_types,
    max_bytes: shared.files.max_bytes,
    fields: Object.entries(rule.fields).map(([field, need]): SnapshotField => {
      const { labels, format, pii } = shared.fields[field]!;
      const {
        required,
        max_age_days = null,
        required_when = null,
      } = typeof need === 'string' ? { required: need === 'required' } : need;
      return {
        field,
        labels: [...labels, ...(also[field] ?? [])],
        format,
        required,
        pii_class: pii,
        max_age_days,
        required_when,
      };
    }),
  };
}
