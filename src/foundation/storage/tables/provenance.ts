export interface ProvenanceTables {
  provenance_settings: ProvenanceSettingsRow;
}

export interface ProvenanceSettingsRow {
  org_id: string;
  /** It is ISO 3166 alpha-2; null means unset. */
  country: string | null;
  /** With 1, audio is watermarked; with 0, it is not; null follows the law of the country. */
  marks: number | null;
  updated_at: number;
}
