import { AMD_ANSWERS as ANSWERS } from '../../foundation/events/index.ts';

export { ANSWERS };
export type Answer = (typeof ANSWERS)[number];

export const HEARD = [
  'human',
  'voicemail',
  'ivr',
  'receptionist',
  'screening',
  'dead_number',
  'fax',
] as const;
export type ClassifiedAnswer = (typeof HEARD)[number];

export type Tone = 'beep' | 'fax_cng' | 'fax_ced' | 'sit' | 'ringback' | 'busy' | 'reorder';

/** Each piece of evidence has the media time at which it was known, so that the same list yields the same verdict. */
export type Evidence = { readonly atMs: number } & (
  | { readonly kind: 'speech'; readonly fromMs: number }
  | {
      readonly kind: 'quiet';
      readonly fromMs: number;
      readonly levelDbfs: number;
      readonly floorDbfs: number;
    }
  | {
      readonly kind: 'tone';
      readonly tone: Tone;
      readonly fromMs: number;
      readonly toMs: number;
      readonly hertz: number;
    }
  | { readonly kind: 'music'; readonly playing: boolean; readonly fromMs: number }
  | {
      readonly kind: 'words';
      /** Stretches of recognized speech count from 1; a later text of one replaces the earlier. */
      readonly stretch: number;
      readonly fromMs: number;
      readonly toMs: number;
      readonly text: string;
    }
  | { readonly kind: 'repeat'; readonly likeness: number; readonly call: string }
);

export type Mode = 'detect' | 'message_end' | 'follow';
export const MODES: readonly Mode[] = ['detect', 'message_end', 'follow'];

export interface AnswerVerdict {
  readonly answeredBy: Answer;
  readonly reason: string;
  readonly confidence: number;
  readonly atMs: number;
  readonly because: readonly Cue[];
}

export interface Cue {
  readonly code: string;
  readonly detail: string;
  readonly weight: number;
}

export interface MessageEnd {
  readonly kind: 'beep' | 'silence' | 'other';
  readonly atMs: number;
}

/** The answer `hold` is a line without anyone until someone returns. */
export type FollowedAnswer = Answer | 'hold';
export interface AnswerUpdate {
  readonly from: FollowedAnswer;
  readonly to: FollowedAnswer;
  readonly atMs: number;
  readonly reason: string;
}
