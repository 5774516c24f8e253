/** Blob keys of casts: a line's audio lies under its project, a render's under the render. */
import type { BlobKey } from '../../foundation/storage/index.ts';

export const BLOB_AREA = 'cast';

export const takeKey = (castId: string, take: string): BlobKey => ({
  area: BLOB_AREA,
  owner: castId,
  name: `take-${take}`,
});

/** `stem`: the place of its speaker; null: everybody. */
export const audioKey = (renderId: string, stem: number | null): BlobKey => ({
  area: BLOB_AREA,
  owner: renderId,
  name: stem === null ? 'audio' : `stem-${stem}`,
});
