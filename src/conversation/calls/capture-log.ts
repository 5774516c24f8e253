import type { CapturedValue, CaptureFailure, CaptureOptions } from './capture-interlude.ts';

export interface CaptureOutcome {
  readonly slot: string;
  readonly kind: string;
  readonly status: 'captured' | CaptureFailure;
  readonly confirmed: CapturedValue['confirmed'] | null;
  readonly attempts: number | null;
}

/** The values may be personal data, so the record leaves them out. */
export class CaptureLog {
  readonly list: CaptureOutcome[] = [];

  captured({ slot, kind }: CaptureOptions, { confirmed, attempts }: CapturedValue): void {
    this.list.push({ slot, kind, status: 'captured', confirmed, attempts });
  }

  failed({ slot, kind }: CaptureOptions, status: CaptureFailure): void {
    this.list.push({ slot, kind, status, confirmed: null, attempts: null });
  }
}
