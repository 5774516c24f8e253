import type { PiiEntity } from '../../language/pii/index.ts';

/** What a job was asked to do, checked and complete. */
export interface JobRequest {
  readonly outputFormats: readonly ('json' | 'text' | 'srt' | 'vtt')[];
  readonly vocabulary: readonly string[];
  readonly summaryLanguage: string | null;
  /** Null: no scan. */
  readonly entities: readonly PiiEntity[] | null;
  readonly diarize: boolean;
  readonly channel: boolean;
  readonly numerals: 'digits' | 'words';
}

/** What a job is asked to do where nothing is said. */
export const PLAIN_REQUEST: JobRequest = {
  outputFormats: ['json'],
  vocabulary: [],
  summaryLanguage: null,
  entities: null,
  diarize: false,
  channel: false,
  numerals: 'digits',
};
