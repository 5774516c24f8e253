/** Blob keys of casts: a line's audio lies under its project, a render's under the render. */
import type { BlobKey } from '../../foundation/storage/index.ts';

export const BLOB_AREA = 'cast';

export const takeKey = (castId: string, take: string): BlobKey => ({
  area: BLOB_AREA,
  owner: castId,
  name: `take-${take}`,
});

/** A null `stem` is the mix of all speakers; a number is the speaker's place. */
export const audioKey = (renderId: string, stem: number | null): BlobKey => ({
  area: BLOB_AREA,
  owner: renderId,
  name: stem === null ? 'audio' : `stem-${stem}`,
});
