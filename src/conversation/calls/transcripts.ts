import { json } from 'node:stream/consumers';
import type { BlobBody, BlobKey, Blobs } from '../../foundation/storage/index.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';

export type TranscriptRow = Pick<OmniCallRow, 'id' | 'transcript' | 'transcript_offloaded_at'>;

export const BLOB_AREA = 'transcripts';
export const transcriptKey = (callId: string): BlobKey => ({
  area: BLOB_AREA,
  owner: callId,
  name: 'transcript.json',
});

export const transcriptDocument = (transcript: string): string => `{"entries":${transcript}}`;

export const openTranscript = (blobs: Pick<Blobs, 'get'>, callId: string): Promise<BlobBody | null> =>
  blobs.get(transcriptKey(callId));

export async function readTranscriptEntries(
  blobs: Pick<Blobs, 'get'>,
  row: TranscriptRow,
): Promise<readonly unknown[] | null> {
  if (row.transcript !== null) return JSON.parse(row.transcript) as unknown[];
  const body = row.transcript_offloaded_at === null ? null : await openTranscript(blobs, row.id);
  return body === null ? null : ((await json(body.stream)) as { readonly entries: unknown[] }).entries;
}

/** Runs `remove`, which takes the transcript out of its row, and deletes the blob. */
export async function removeTranscript<T>(
  blobs: Pick<Blobs, 'deleteOwner'>,
  callId: string,
  remove: () => Promise<T>,
): Promise<T> {
  // The blobs are deleted before the row, so that a crash leaves a row that leads to the rest, and again after
  // it, because the transcript may have been offloaded meanwhile.
  await blobs.deleteOwner(BLOB_AREA, callId);
  const removed = await remove();
  await blobs.deleteOwner(BLOB_AREA, callId);
  return removed;
}
