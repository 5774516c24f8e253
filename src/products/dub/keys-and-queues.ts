import { newId } from '../../foundation/platform/ids.ts';

export const BLOB_AREA = 'dub';
/** Jobs whose file is stored here. */
export const QUEUE = 'dub';
/** Jobs whose file a customer's server has still to send. */
export const FETCH_QUEUE = 'dub.fetch';

export const newDubId = (): string => newId('dub');
export const sourceKey = (id: string) => ({ area: BLOB_AREA, owner: id, name: 'source' });
export const fileKey = (id: string, name: string) => ({ area: BLOB_AREA, owner: id, name });

/** The credit reservation of a dub lasts from its submission to its end, and covers transcription and speech. */
export const dubReservationId = (id: string): string => `hold_${id}`;
export const speechReservationId = (id: string): string => `hold_${id}_speech`;
/** The reservation outlasts any queue. */
export const RESERVATION_MS = 7 * 24 * 3600 * 1000;
/** The number of attempts without progress. */
export const MAX_ATTEMPTS = 7;
