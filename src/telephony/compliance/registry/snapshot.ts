import type { CaseKind, Country, PiiClass } from '../contract.ts';
import type { Condition, FormatName, MatchRule, Processing } from './schema.ts';

/** The rules of one case, frozen at its creation: later changes of the registry do not affect the case. */
export interface RulesSnapshot {
  readonly available: true;
  readonly registry_version: string;
  readonly source_ids: readonly string[];
  readonly frozen_at: number;
  readonly config: SnapshotConfig;
}

export interface SnapshotField {
  readonly field: string;
  readonly labels: readonly string[];
  readonly format: FormatName;
  readonly required: boolean;
  readonly pii_class: PiiClass;
  /** How old the date may be when the case is submitted. */
  readonly max_age_days: number | null;
  /** Snapshots from before conditions existed lack this field. */
  readonly required_when?: Condition | null;
}

export interface SnapshotDocument {
  readonly id: string;
  readonly document_type: string;
  readonly label: string;
  readonly required: boolean;
  /** The group of which one document is required; absent in snapshots from before groups existed. */
  readonly one_of?: string | null;
  readonly accepted_mime_types: readonly string[];
  readonly max_bytes: number;
  readonly fields: readonly SnapshotField[];
}

export interface SnapshotSource {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly date: string;
}

export interface SnapshotConfig extends Processing {
  readonly notice: string;
  readonly country: Country;
  readonly kind: CaseKind;
  readonly number_types: readonly string[];
  readonly capabilities: readonly string[];
  readonly dates: 'day_first' | 'month_first';
  readonly manual_review: boolean;
  readonly sources: readonly SnapshotSource[];
  readonly documents: readonly SnapshotDocument[];
  readonly matches: readonly MatchRule[];
  readonly attestations: readonly {
    readonly id: string;
    readonly text: string;
    readonly required: boolean;
  }[];
}
