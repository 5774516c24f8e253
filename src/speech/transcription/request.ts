import type { PiiEntity } from '../../language/pii/index.ts';

export interface JobRequest {
  readonly outputFormats: readonly ('json' | 'text' | 'srt' | 'vtt')[];
  readonly vocabulary: readonly string[];
  readonly summaryLanguage: string | null;
  /** The scan for entities is off when this is null. */
  readonly entities: readonly PiiEntity[] | null;
  readonly diarize: boolean;
  /** How many people speak, where the customer knows it. Absent from what was stored before it could be said. */
  readonly speakers?: number;
  readonly channel: boolean;
  readonly numerals: 'digits' | 'words';
}

export const PLAIN_REQUEST: JobRequest = {
  outputFormats: ['json'],
  vocabulary: [],
  summaryLanguage: null,
  entities: null,
  diarize: false,
  channel: false,
  numerals: 'digits',
};
