import type { Answer, Mode } from './contract.ts';

export type CarrierAnswer =
  | 'human'
  | 'machine_start'
  | 'machine_end_beep'
  | 'machine_end_silence'
  | 'machine_end_other'
  | 'fax'
  | 'unknown';

export function carrierAnswer(answer: Answer): CarrierAnswer {
  switch (answer) {
    case 'human':
    case 'receptionist':
      return 'human';
    case 'voicemail':
    case 'ivr':
    case 'screening':
      return 'machine_start';
    case 'fax':
      return 'fax';
    default:
      return 'unknown';
  }
}

/** Only a machine takes a message, so other answers do not wait for the end of one. */
export const awaitsMessageEnd = (answer: Answer, mode: Mode): boolean =>
  mode === 'message_end' && carrierAnswer(answer) === 'machine_start';
