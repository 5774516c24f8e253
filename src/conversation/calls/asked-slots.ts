import type { Captured, CaptureFailure, CaptureOrder } from './capturing.ts';

export interface AskedSlot {
  readonly slot: string;
  readonly kind: string;
  readonly status: 'captured' | CaptureFailure;
  /** How the caller made sure of it; null, as the attempts: nothing came of it. */
  readonly confirmed: Captured['confirmed'] | null;
  readonly attempts: number | null;
}

/** What callers were asked for. The values may be personal: the record has none of them. */
export class AskedSlots {
  readonly list: AskedSlot[] = [];

  captured({ slot, kind }: CaptureOrder, { confirmed, attempts }: Captured): void {
    this.list.push({ slot, kind, status: 'captured', confirmed, attempts });
  }

  failed({ slot, kind }: CaptureOrder, status: CaptureFailure): void {
    this.list.push({ slot, kind, status, confirmed: null, attempts: null });
  }
}
