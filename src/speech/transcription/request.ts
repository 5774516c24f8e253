import type { PiiEntity } from '../../language/pii/index.ts';

export interface JobRequest {
  readonly outputFormats: readonly ('json' | 'text' | 'srt' | 'vtt')[];
  readonly vocabulary: readonly string[];
  readonly summaryLanguage: string | null;
  readonly entities: readonly PiiEntity[] | null;
  readonly diarize: boolean;
  /** The customer states the number of speakers. Jobs stored by earlier versions lack it. */
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
