import type { Environment } from '../../tenancy/index.ts';

export interface HearVocabularyRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  terms: string;
  batch_active: number;
  streaming_active: number;
  updated_at: number;
}

export interface HearTables {
  hear_vocabularies: HearVocabularyRow;
}
