/** Rows of the tables that the provenance module owns. */
export interface ProvenanceTables {
  provenance_settings: ProvenanceSettingsRow;
}

export interface ProvenanceSettingsRow {
  org_id: string;
  /** ISO 3166, two letters; null: not said. */
  country: string | null;
  /** 1: marked, 0: not, null: as the law of the country asks. */
  marks: number | null;
  updated_at: number;
}
